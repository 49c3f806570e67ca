// What an import has done, thing by thing: counts, reasons, and what is left to do by hand.

export const IMPORT_KINDS = [
  'actors',
  'tasks',
  'schedules',
  'webhooks',
  'key-value-stores',
  'datasets',
  'request-queues',
] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/** One of a kind, as the lines of an import name it. */
export const KIND_WORDS: Record<ImportKind, string> = {
  actors: 'Actor',
  tasks: 'task',
  schedules: 'schedule',
  webhooks: 'webhook',
  'key-value-stores': 'key-value store',
  datasets: 'dataset',
  'request-queues': 'request queue',
};

/** `kept` differs from the source and stays as it is; `skipped` cannot be copied; `failed` was rejected. */
export const OUTCOMES = ['created', 'changed', 'unchanged', 'kept', 'skipped', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface ImportedThing {
  kind: ImportKind;
  name: string;
  outcome: Outcome;
  /** Why it was kept, skipped or failed; what was changed. */
  reason?: string;
}

export interface ContentCounts {
  items: number;
  records: number;
  requests: number;
}

export class ImportReport {
  readonly counts = Object.fromEntries(
    IMPORT_KINDS.map((kind) => [kind, Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0]))]),
  ) as Record<ImportKind, Record<Outcome, number>>;
  /** Those with a reason: what went as expected is only counted, as there may be very many. */
  readonly things: ImportedThing[] = [];
  readonly content: ContentCounts = { items: 0, records: 0, requests: 0 };
  readonly #tasks = new Set<string>();
  #failedBuilds = 0;

  add(thing: ImportedThing): void {
    this.counts[thing.kind][thing.outcome] += 1;
    if (thing.reason !== undefined) this.things.push(thing);
  }

  /** Something that the person has to do, once. */
  ask(sentence: string): void {
    this.#tasks.add(sentence);
  }

  addFailedBuild(): void {
    this.#failedBuilds += 1;
  }

  get toDo(): string[] {
    return [...this.#tasks];
  }

  /** Whether something of the source is missing or different on the target, and could be there. */
  get isIncomplete(): boolean {
    return this.#failedBuilds > 0 || Object.values(this.counts).some(({ failed, kept }) => failed + kept > 0);
  }

  with(outcome: Outcome): ImportedThing[] {
    return this.things.filter((thing) => thing.outcome === outcome);
  }
}
