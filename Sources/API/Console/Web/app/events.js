// Server-sent events, by fetch: an EventSource cannot send the key.
import { at, authorization } from "./api.js";

const pauseMs = 1000;

/// Reads the stream at `path`, again and again after the last event, until the returned function is called: `take(name,
/// data)` for each event, `alive()` for every sign of life, `broken(status)` when it ends or is silent for `silenceMs`;
/// the status is 0 without an answer. A hidden tab reads nothing.
export function stream(path, { take, alive = () => {}, broken = () => {}, silenceMs }) {
  let last = "";
  let isOver = false;
  let current = null;
  const read = async () => {
    const abort = new AbortController();
    current = abort;
    let timer = setTimeout(() => abort.abort(), silenceMs);
    let status = 0;
    try {
      const headers = { Accept: "text/event-stream", ...authorization(), ...(last ? { "Last-Event-ID": last } : {}) };
      const answer = await fetch(at(path), { headers, signal: abort.signal, cache: "no-store" });
      status = answer.status;
      if (status === 200) {
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        let text = "";
        for (;;) {
          const { value, done } = await reader.read();
          if (done) break;
          clearTimeout(timer);
          timer = setTimeout(() => abort.abort(), silenceMs);
          alive();
          const blocks = (text + value).split("\n\n");
          text = blocks.pop();
          for (const block of blocks) dispatch(block);
        }
      }
    } catch {
      status = 0;
    }
    clearTimeout(timer);
    return status;
  };
  const dispatch = block => {
    const fields = Object.fromEntries(block.split("\n").filter(line => line && line[0] !== ":")
      .map(line => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
    if (fields.id) last = fields.id;
    if (fields.data && !isOver) take(fields.event, JSON.parse(fields.data));
  };
  const run = async () => {
    for (;;) {
      if (document.hidden) {
        await new Promise(shown => document.addEventListener("visibilitychange", shown, { once: true }));
        continue;
      }
      const status = await read();
      if (isOver) return;
      if (!document.hidden) broken(status);
      // What the key does not allow stays so.
      if (status === 204 || (status >= 400 && status < 500 && status !== 429)) return;
      await new Promise(next => setTimeout(next, pauseMs));
    }
  };
  const hide = () => { if (document.hidden) current?.abort(); };
  document.addEventListener("visibilitychange", hide);
  run();
  return () => {
    isOver = true;
    document.removeEventListener("visibilitychange", hide);
    current?.abort();
  };
}
