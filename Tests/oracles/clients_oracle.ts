// Exercises the TypeScript client against `dragoman dev` for scripts/run-oracle: node clients_oracle.js GATEWAY EMULATOR
import { Dragoman, Notification, Problem } from "../../examples/clients/typescript/dragoman";

declare const process: { argv: string[]; exitCode: number };

function expect(holds: boolean, what: string) {
  if (!holds) throw new Error(what);
}

/** Whether the client sends the same request again after a bad first answer, and then takes the good one. */
async function survives(first: () => Promise<Response>) {
  const answers = [first, async () => new Response('{"id":"x","status":"queued"}', { status: 202 })];
  const keys = new Set<string | null>();
  const real = globalThis.fetch;
  globalThis.fetch = (_, options) => {
    keys.add(new Headers(options?.headers).get("Idempotency-Key"));
    return answers.shift()?.() ?? Promise.reject(new Error("a third request"));
  };
  try {
    return (await new Dragoman("http://gateway").send({ template: "welcome", to: { token: "t" } })).id === "x" && keys.size === 1;
  } finally {
    globalThis.fetch = real;
  }
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

  const conflict = JSON.stringify({ type: "/problems/idempotency-conflict", title: "x", detail: "x", status: 409 });
  expect(await survives(() => Promise.reject(new TypeError("fetch failed"))), "no answer was the last one");
  expect(await survives(async () => new Response('{"id', { status: 202 })), "an answer that was cut off was the last one");
  expect(await survives(async () => new Response("<html>", { status: 502 })), "a proxy's page was the last answer");
  expect(await survives(async () => new Response(conflict, { status: 409 })), "a conflict was the last answer");
  expect(await survives(async () => new Response("{}", { status: 503, headers: { "Retry-After": "soon" } })), "a 503 was the last answer");

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
