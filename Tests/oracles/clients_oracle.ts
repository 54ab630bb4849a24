// Exercises the TypeScript client against `dragoman dev` for scripts/run-oracle: node clients_oracle.js GATEWAY EMULATOR
import { Dragoman, Notification, Problem } from "../../examples/clients/typescript/dragoman";

declare const process: { argv: string[]; exitCode: number };

function expect(holds: boolean, what: string) {
  if (!holds) throw new Error(what);
}

async function main(gateway: string, emulator: string) {
  const client = new Dragoman(gateway);
  const request = { template: "welcome", to: { token: "alice-phone" }, args: { name: "Alice" } };
  const sent: Notification = await client.send(request, "once");
  const again = await client.send(request, "once");
  expect(sent.id === again.id, "one key created two notifications");
  expect((await client.wait(sent.id)).status === "sent", "the notification was not sent");
  expect((await client.show(sent.id)).deliveries[0]?.attempts === 1, "the notification was not sent in one attempt");
  expect((await client.send(request)).id !== (await client.send(request)).id, "two requests without a key created one notification");

  const ahead = new Date(Date.now() + 3600_000).toISOString();
  const scheduled = await client.send({ ...request, send_at: ahead });
  expect((await client.cancel(scheduled.id)).status === "cancelled", "the notification was not cancelled");

  const failing = { rules: [{ token: "gone", status: 404, error_code: "UNREGISTERED" }] };
  await fetch(`${emulator}/faults`, { method: "PUT", body: JSON.stringify(failing) });
  const failed = await client.wait((await client.send({ ...request, to: { token: "gone" } })).id);
  expect(failed.status === "failed" && failed.deliveries[0]?.error?.code === "UNREGISTERED", "the delivery did not fail");

  const refusal: unknown = await client.send({ ...request, args: { nme: "A" } }).catch((error: unknown) => error);
  expect(refusal instanceof Problem, "the error is not a Problem");
  if (refusal instanceof Problem) {
    expect(refusal.status === 422 && (refusal.errors?.length ?? 0) > 0, `unexpected problem: ${refusal}`);
  }
  const nobody: unknown = await new Dragoman("http://127.0.0.1:9", undefined, 1).show("x").catch((error) => error);
  expect(nobody instanceof Error && !(nobody instanceof Problem), "without a server, the client threw no error");
}

main(process.argv[2] ?? "", process.argv[3] ?? "").then(
  () => console.log("The TypeScript client sends, waits, cancels and reports rejected requests"),
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
