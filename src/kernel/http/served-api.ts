// An API as one server answers it: with the status of calls over a limit that its operator chose, for what describes the API.
import type { Api } from './protocol.ts';
import type { Limits } from '../limits/limits.ts';

const servedApis = new WeakMap<Api, Map<number, Api>>();

/** The same object for the same status, so that documents are made once. */
export function servedApi(api: Api, { exceededStatus }: Pick<Limits, 'exceededStatus'>): Api {
  const { protocol } = api;
  if (protocol.limits.hasChosenStatus !== true || exceededStatus === undefined) return api;
  if (exceededStatus === protocol.status.exhausted) return api;
  let served = servedApis.get(api);
  if (served === undefined) servedApis.set(api, (served = new Map()));
  let chosen = served.get(exceededStatus);
  if (chosen === undefined) {
    const status = { ...protocol.status, exhausted: exceededStatus };
    served.set(exceededStatus, (chosen = { ...api, protocol: { ...protocol, status } }));
  }
  return chosen;
}
