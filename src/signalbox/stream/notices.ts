// Small notices for streams, of what is in no audit log: runs, builds, deliveries of webhooks, and the first use of a token. They are not stored. ADR 0137.
import { findBuild } from '../../actors/builds/store.ts';
import { STATUS_CHANNELS } from '../../actors/jobs/job.ts';
import { findRun } from '../../actors/runs/store.ts';
import { tokenResource } from '../../flags/tokens/model.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';
import { findTokens } from '../../kernel/identity/store-tokens.ts';
import { TOKEN_USED } from '../../kernel/identity/token-uses/store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { deliveriesIn, DELIVERIES } from '../../kernel/webhooks/delivery-notices.ts';
import { listDeliveriesById } from '../../kernel/webhooks/store-deliveries.ts';
import { HookVisibility } from './hook-visibility.ts';

export interface StreamNotice {
  event: string;
  data: object;
  /** By the rule of the API that it is about. */
  isVisibleTo(caller: KnownCaller, kernel: Kernel): boolean | Promise<boolean>;
}

type NoticeKind = 'run' | 'build' | 'delivery' | 'token';

interface NoticeReceivers {
  /** Whether there is a stream. */
  isNeeded(): boolean;
  send(notices: readonly StreamNotice[]): Promise<void>;
  /** Some were lost, and nobody knows which. */
  lose(): void;
}

/** Of one kind, that wait to be sent. Later ones are left out: clients that need all of them read lists. */
const MOST_WAITING = 500;

export class StreamNotices {
  readonly #kernel: Pick<Kernel, 'engine' | 'clock' | 'log'>;
  readonly #receivers: NoticeReceivers;
  readonly #hooks: HookVisibility;
  /** Ids by kind. */
  readonly #waiting: Record<NoticeKind, Set<string>> = {
    run: new Set(),
    build: new Set(),
    delivery: new Set(),
    token: new Set(),
  };
  #isSending = false;

  constructor(kernel: Pick<Kernel, 'engine' | 'clock' | 'log'>, receivers: NoticeReceivers) {
    this.#kernel = kernel;
    this.#receivers = receivers;
    this.#hooks = new HookVisibility(kernel.clock);
  }

  /** Returns functions that end it. */
  async listen(): Promise<(() => void)[]> {
    const { engine } = this.#kernel;
    const each =
      (kind: NoticeKind, idsIn = (id: string) => [id]) =>
      (payload: string | undefined) =>
        payload === undefined ? this.#receivers.lose() : this.#note(kind, idsIn(payload));
    return [
      await engine.listen(STATUS_CHANNELS.run, each('run')),
      await engine.listen(STATUS_CHANNELS.build, each('build')),
      await engine.listen(DELIVERIES, each('delivery', deliveriesIn)),
      // Nobody misses a first use.
      await engine.listen(TOKEN_USED, (id) => this.#note('token', id === undefined ? [] : [id])),
    ];
  }

  #note(kind: NoticeKind, ids: readonly string[]): void {
    if (!this.#receivers.isNeeded()) return;
    const waiting = this.#waiting[kind];
    for (const id of ids) if (waiting.size < MOST_WAITING) waiting.add(id);
    if (this.#isSending) return;
    this.#isSending = true;
    void this.#sendWaiting().finally(() => (this.#isSending = false));
  }

  /** Apart from changes, which do not wait for the lookups of notices. */
  async #sendWaiting(): Promise<void> {
    const { db } = this.#kernel.engine;
    try {
      while (Object.values(this.#waiting).some(({ size }) => size > 0)) {
        const ids = (kind: NoticeKind) => takeAll(this.#waiting[kind]);
        const notices = [
          ...(await readJobs(db, 'run', ids('run'))),
          ...(await readJobs(db, 'build', ids('build'))),
          ...(await this.#readDeliveries(ids('delivery'))),
          ...(await readTokens(db, ids('token'))),
        ];
        if (notices.length > 0) await this.#receivers.send(notices);
      }
    } catch (error) {
      this.#kernel.log.warn({ err: error }, 'notices cannot be sent now');
    }
  }

  async #readDeliveries(ids: readonly string[]): Promise<StreamNotice[]> {
    const deliveries = await listDeliveriesById(this.#kernel.engine.db, ids);
    return deliveries.map(({ id, number, api, hookId, ownerId, state: status }) => ({
      event: 'delivery',
      // The host numbers its deliveries.
      data: { id: api === 'host' ? String(number) : id, api, webhook: hookId, status },
      isVisibleTo: (caller, kernel) => this.#hooks.maySee(kernel, caller, { api, hookId, ownerId }),
    }));
  }
}

function takeAll(ids: Set<string>): string[] {
  const all = [...ids];
  ids.clear();
  return all;
}

async function readJobs(db: Db, kind: 'run' | 'build', ids: readonly string[]): Promise<StreamNotice[]> {
  const notices: StreamNotice[] = [];
  for (const id of ids) {
    const job = kind === 'run' ? await findRun(db, id) : await findBuild(db, id);
    if (job === undefined) continue;
    const { userId, status } = job;
    const isAllowed = (caller: KnownCaller) =>
      kind === 'run'
        ? can(caller, 'viewRun', `actor-run/${id}`)
        : can(caller, 'viewBuild', `actor-build/${id}`);
    notices.push({
      event: kind,
      data: { id, status },
      isVisibleTo: (caller) => accountOf(caller).id === userId && isAllowed(caller),
    });
  }
  return notices;
}

async function readTokens(db: Db, ids: string[]): Promise<StreamNotice[]> {
  const tokens = await findTokens(db, ids);
  return tokens.map((token) => ({
    event: 'token-used',
    data: {
      id: token.id,
      at: token.lastUsedAt,
      api: token.lastUse?.api,
      operation: token.lastUse?.operation,
    },
    isVisibleTo: (caller) => can(caller, 'viewAccessToken', tokenResource(token, caller)),
  }));
}
