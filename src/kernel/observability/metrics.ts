// Metrics in Prometheus' text format: calls by route and status, how long they took, and the process itself.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DurationHistogram } from '../duration-histogram.ts';

/** A counter of an API: its name without `signalbox_`, and its description. */
export interface CounterMetric {
  name: string;
  help: string;
}

/** A number that rises and falls. */
export interface GaugeMetric extends CounterMetric {
  /** By labels, as the text format has them, where there are several; undefined while it is not known. */
  read(): number | undefined | readonly [labels: string, value: number][];
}

/** Durations, in seconds. */
export interface HistogramMetric extends CounterMetric {
  histogram: DurationHistogram;
}

/** The calls of one route. */
interface RouteCalls {
  timing?: DurationHistogram;
  countByStatus: Map<number | typeof OTHER, number>;
}

/** What is counted together where there would be too many series; no route has this name. */
const OTHER = 'other';
/** How many routes have times of their own: each takes sixteen series. */
const MAX_TIMED_ROUTES = 100;
/** How many statuses a route has series of: programs behind a path answer with any. */
const MAX_STATUSES = 20;
/** How many series calls have by route and status, before further routes are counted together. */
const MAX_CALL_SERIES = 2000;
/** How many different labels a counter has. */
const MAX_LABELS = 200;

export class Metrics {
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';
  readonly #release: string;
  /** By API and route: looking up two words that exist anyway costs less than joining them. */
  readonly #calls = new Map<string, Map<string, RouteCalls>>();
  #timedRoutes = 0;
  #callSeries = 0;
  readonly #deliveries = new Map<string, number>();
  readonly #counters = new Map<CounterMetric, Map<string, number>>();
  readonly #gauges: GaugeMetric[] = [];
  readonly #histograms: HistogramMetric[] = [];
  readonly #preparations: (() => Promise<void>)[] = [];
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });

  constructor(release: string) {
    this.#release = release;
    this.#delay.enable();
  }

  count(api: string, route: string, status: number, seconds: number): void {
    const own = this.#callsOf(api, route);
    // Many calls that fail cost their caller nothing: only those that succeed give a route times of its own.
    if (own.timing === undefined && status < 400 && this.#timedRoutes < MAX_TIMED_ROUTES) {
      own.timing = new DurationHistogram();
      this.#timedRoutes += 1;
    }
    (own.timing ?? (this.#callsOf(api, OTHER).timing ??= new DurationHistogram())).observe(seconds);
    this.#countStatus(api, own, status);
  }

  #callsOf(api: string, route: string): RouteCalls {
    let routes = this.#calls.get(api);
    if (routes === undefined) this.#calls.set(api, (routes = new Map()));
    let calls = routes.get(route);
    if (calls === undefined) routes.set(route, (calls = { countByStatus: new Map() }));
    return calls;
  }

  #countStatus(api: string, calls: RouteCalls, status: number): void {
    let { countByStatus } = calls;
    let key: number | typeof OTHER = status;
    if (!countByStatus.has(status)) {
      if (this.#callSeries >= MAX_CALL_SERIES) ({ countByStatus } = this.#callsOf(api, OTHER));
      if (!countByStatus.has(status) && countByStatus.size >= MAX_STATUSES) key = OTHER;
      if (!countByStatus.has(key)) this.#callSeries += 1;
    }
    countByStatus.set(key, (countByStatus.get(key) ?? 0) + 1);
  }

  /** An attempt at a webhook's delivery, and what it led to. */
  countDelivery(api: string, outcome: 'delivered' | 'failed' | 'retry'): void {
    const key = `api="${api}",outcome="${outcome}"`;
    this.#deliveries.set(key, (this.#deliveries.get(key) ?? 0) + 1);
  }

  /** Adds to a counter. The labels are written as in the text format; further ones than some hundreds are counted together. */
  add(counter: CounterMetric, labels: string, by = 1): void {
    let counts = this.#counters.get(counter);
    if (counts === undefined) this.#counters.set(counter, (counts = new Map()));
    const key = counts.has(labels) || counts.size < MAX_LABELS ? labels : foldLabels(labels);
    counts.set(key, (counts.get(key) ?? 0) + by);
  }

  /** Its value is read whenever the metrics are. */
  watch(gauge: GaugeMetric): void {
    this.#gauges.push(gauge);
  }

  watchDurations(histogram: HistogramMetric): void {
    this.#histograms.push(histogram);
  }

  /** Called before the metrics are read: for figures that come from elsewhere. It must not fail, and must end soon. */
  prepare(work: () => Promise<void>): void {
    this.#preparations.push(work);
  }

  async read(): Promise<string> {
    await Promise.all(this.#preparations.map((work) => work()));
    return this.text();
  }

  /** How late the event loop is in the worst one of a hundred cases, since the start. */
  get eventLoopP99Ms(): number {
    return this.#delay.percentile(99) / 1e6;
  }

  #byRoute(): [labels: string, RouteCalls][] {
    return [...this.#calls].flatMap(([api, routes]) =>
      [...routes].map(([route, calls]): [string, RouteCalls] => [`api="${api}",route="${route}"`, calls]),
    );
  }

  text(): string {
    const { heapUsed, rss } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const byRoute = this.#byRoute();
    return [
      ...metric('signalbox_info', 'gauge', 'The running release', [`{version="${this.#release}"} 1`]),
      ...metric(
        'signalbox_calls_total',
        'counter',
        'Calls answered',
        byRoute.flatMap(([labels, { countByStatus }]) =>
          [...countByStatus].map(([status, count]) => `{${labels},status="${status}"} ${count}`),
        ),
      ),
      ...header(
        'signalbox_call_seconds',
        'histogram',
        'Time from the first byte of a call to the last of its reply',
      ),
      ...byRoute.flatMap(([labels, { timing }]) => timing?.lines('signalbox_call_seconds', labels) ?? []),
      ...metric(
        'signalbox_webhook_attempts_total',
        'counter',
        'Attempts to deliver webhooks, by what they led to',
        [...this.#deliveries].map(([labels, count]) => `{${labels}} ${count}`),
      ),
      ...[...this.#counters].flatMap(([{ name, help }, counts]) =>
        metric(
          `signalbox_${name}`,
          'counter',
          help,
          [...counts].map(([labels, count]) => `{${labels}} ${count}`),
        ),
      ),
      ...this.#gauges.flatMap(gaugeLines),
      ...this.#histograms.flatMap(({ name, help, histogram }) => [
        ...header(`signalbox_${name}`, 'histogram', help),
        ...histogram.lines(`signalbox_${name}`, ''),
      ]),
      ...metric('process_cpu_seconds_total', 'counter', 'Processor time used', [` ${(user + system) / 1e6}`]),
      ...metric('process_resident_memory_bytes', 'gauge', 'Memory held', [` ${rss}`]),
      ...metric('process_uptime_seconds', 'gauge', 'Time since the start', [` ${process.uptime()}`]),
      ...metric('nodejs_heap_used_bytes', 'gauge', 'Memory of live objects', [` ${heapUsed}`]),
      ...metric(
        'nodejs_eventloop_delay_seconds',
        'gauge',
        'How late the event loop is',
        [0.5, 0.99].map((part) => `{quantile="${part}"} ${this.#delay.percentile(part * 100) / 1e9}`),
      ),
      '',
    ].join('\n');
  }
}

function gaugeLines({ name, help, read }: GaugeMetric): string[] {
  const value = read();
  if (value === undefined) return [];
  const values =
    typeof value === 'number'
      ? [` ${value}`]
      : value.slice(0, MAX_LABELS).map(([labels, one]) => `{${labels}} ${one}`);
  return metric(`signalbox_${name}`, 'gauge', help, values);
}

/** The same names of labels, each with the value `other`. */
function foldLabels(labels: string): string {
  return labels.replaceAll(/="(?:[^"\\]|\\.)*"/g, `="${OTHER}"`);
}

function header(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function metric(name: string, type: string, help: string, values: string[]): string[] {
  return [...header(name, type, help), ...values.map((value) => name + value)];
}
