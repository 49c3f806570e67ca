// Metrics in Prometheus' text format: calls by route and status, their time, and the process itself.
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class Metrics {
  readonly #registry = new Registry();
  readonly #calls: Counter<'api' | 'route' | 'status'>;
  readonly #seconds: Histogram<'api' | 'route'>;
  /** Bound children: finding one by its labels on every call would cost more than counting. */
  readonly #bound = new Map<string, (seconds: number) => void>();

  constructor(release: string) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    new Gauge({
      name: 'signalbox_info',
      help: 'The running release',
      labelNames: ['version'],
      registers,
    }).set({ version: release }, 1);
    this.#calls = new Counter({
      name: 'signalbox_calls_total',
      help: 'Calls answered',
      labelNames: ['api', 'route', 'status'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'signalbox_call_seconds',
      help: 'Time from the first byte of a call to the last byte of its reply',
      labelNames: ['api', 'route'],
      buckets: SECONDS,
      registers,
    });
  }

  count(api: string, route: string, status: number, seconds: number): void {
    const key = `${api} ${route} ${status}`;
    let observe = this.#bound.get(key);
    if (observe === undefined) {
      const calls = this.#calls.labels(api, route, String(status));
      const timing = this.#seconds.labels(api, route);
      observe = (taken) => {
        calls.inc();
        timing.observe(taken);
      };
      this.#bound.set(key, observe);
    }
    observe(seconds);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
