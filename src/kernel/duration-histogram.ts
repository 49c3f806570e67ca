// Counts durations by how long they were, in the buckets of a histogram of Prometheus.

const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class DurationHistogram {
  /** How many took at most the bound and more than the one before; the last counts what was slower than all. */
  readonly #counts = Array.from({ length: BOUNDS.length + 1 }, () => 0);
  #sum = 0;
  #count = 0;

  /** How many there were. */
  get count(): number {
    return this.#count;
  }

  /** Of all together, in seconds. */
  get sum(): number {
    return this.#sum;
  }

  observe(seconds: number): void {
    let index = 0;
    while (index < BOUNDS.length && seconds > BOUNDS[index]!) index += 1;
    this.#counts[index]! += 1;
    this.#sum += seconds;
    this.#count += 1;
  }

  /** In the text format; `labels` may be empty. */
  lines(name: string, labels: string): string[] {
    let total = 0;
    const joint = labels === '' ? '' : `,${labels}`;
    const buckets = this.#counts.map((count, index) => {
      total += count;
      return `${name}_bucket{le="${BOUNDS[index] ?? '+Inf'}"${joint}} ${total}`;
    });
    const own = labels === '' ? '' : `{${labels}}`;
    return [...buckets, `${name}_sum${own} ${this.#sum}`, `${name}_count${own} ${total}`];
  }
}
