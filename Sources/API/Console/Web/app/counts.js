// How many notifications there are of a kind, as the gateway counts them.
import { call } from "./api.js";
import { codes } from "../parts/status.js";

/// The query of a filter; what is empty is left out.
export function queryOf(filter) {
  return new URLSearchParams(Object.entries(filter).filter(([, value]) => value));
}

/// How many notifications a filter finds, as far as the gateway counts.
export async function countOf(filter) {
  return (await call("GET", `/v1/notifications?${queryOf({ ...filter, count: "true", limit: 1 })}`)).total;
}

/// How many of them have each error code now, the most frequent first, without those that none has.
export async function countsByCode(filter) {
  const counted = await Promise.all(codes.map(async code => [code, await countOf({ ...filter, code })]));
  return counted.filter(([, count]) => count).sort(([, a], [, b]) => b - a);
}
