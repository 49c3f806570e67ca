// A thread whose clock is wrong, in which the real octokit acts as an app. It answers with the statuses of all replies.
import { parentPort, workerData } from 'node:worker_threads';

const { url, appId, privateKey, aheadMs } = workerData as {
  url: string;
  appId: number;
  privateKey: string;
  aheadMs: number;
};

const RightDate = Date;
globalThis.Date = class extends RightDate {
  constructor(...values: [] | ConstructorParameters<typeof RightDate>) {
    if (values.length === 0) super(RightDate.now() + aheadMs);
    else super(...values);
  }
  static override now(): number {
    return RightDate.now() + aheadMs;
  }
} as DateConstructor;

// After the clock is set, so that nothing keeps the right one.
const { App, Octokit } = await import('octokit');
const statuses: number[] = [];
const silent = { debug() {}, info() {}, error() {}, warn() {} };
const recording = async (...request: Parameters<typeof fetch>): Promise<Response> => {
  const answer = await fetch(...request);
  statuses.push(answer.status);
  return answer;
};
const Own = Octokit.defaults({ baseUrl: url, request: { fetch: recording, log: silent }, log: silent });
const app = new App({ appId, privateKey, Octokit: Own, log: silent });
const { data } = await app.octokit.rest.apps.getAuthenticated();
parentPort!.postMessage({ slug: data!.slug, statuses });
