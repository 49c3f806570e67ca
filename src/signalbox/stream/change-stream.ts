// One open stream of changes: what its caller may see of them, as server-sent events, within a bound.
import { visibility } from '../../flags/audit-log/visibility.ts';
import type { ChangeNotice } from '../../kernel/change/store-new-entries.ts';
import type { StreamConnection } from '../../kernel/http/route.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { productOf } from '../activity/model.ts';
import type { StreamNotice } from './notices.ts';

/** A client that leaves more than this unread is cut off: it comes back, and begins where it was. */
const MAX_BUFFERED = 20 * 1024;

export class ChangeStream {
  readonly #connection: StreamConnection;
  readonly #kernel: Kernel;
  #caller: KnownCaller;
  #hasBegun = false;
  #isEnded = false;
  /** What the connection had sent at the last heartbeat, if it had something left to send. */
  #sentBefore: number | undefined;

  constructor(connection: StreamConnection, kernel: Kernel, caller: KnownCaller) {
    this.#connection = connection;
    this.#kernel = kernel;
    this.#caller = caller;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** What changes before it begins is among what it has missed. */
  get #isOpen(): boolean {
    return this.#hasBegun && !this.#isEnded;
  }

  /** Of the person: each has their own share of streams. */
  get memberId(): string {
    return this.#caller.member.id;
  }

  /** `position` is where a client that was cut off goes on; a client that comes from elsewhere reads everything anew. */
  begin(position: string, isResumed: boolean): void {
    this.#hasBegun = true;
    this.#write(`retry: 1000\n${eventOf('begin', { isResumed }, position)}`);
  }

  /** Only the last event has the position, because all of them are before it. */
  async sendChanges(changes: readonly ChangeNotice[], position: string): Promise<void> {
    if (!this.#isOpen || !(await this.#identify())) return;
    const caller = this.#caller;
    const isVisible = await visibility(
      { caller, can: (resource, action) => can(caller, action!, resource) },
      this.#kernel,
    );
    const seen = changes.filter(({ resource, ownerId }) =>
      isVisible({ resource, ...(ownerId !== null && { ownerId }) }),
    );
    if (this.#isEnded || seen.length === 0) return;
    const events = seen.map(({ id, at, action, resource, kind, name, memberId }, index) =>
      eventOf(
        'change',
        { id, at, product: productOf(resource), action, resource, kind, name, memberId },
        index === seen.length - 1 ? position : undefined,
      ),
    );
    for (const event of events) this.#write(event);
  }

  /** Lost with the connection: a client that comes back reads what they are about anew. */
  async sendNotices(notices: readonly StreamNotice[]): Promise<void> {
    if (!this.#isOpen || !(await this.#identify())) return;
    for (const { event, data, isVisibleTo } of notices)
      if (await isVisibleTo(this.#caller, this.#kernel)) this.#write(eventOf(event, data));
  }

  /** False where the credential is not good any more: the stream has ended then. */
  async #identify(): Promise<boolean> {
    const { identity, clock } = this.#kernel;
    try {
      this.#caller = await identity.identifyAgain(this.#caller, clock.now());
      return true;
    } catch {
      this.end();
      return false;
    }
  }

  async heartbeat(): Promise<void> {
    if (this.#isEnded || !(await this.#identify())) return;
    const { writableLength, socket } = this.#connection;
    const sent = writableLength === 0 ? undefined : (socket?.bytesWritten ?? 0) - writableLength;
    if (sent !== undefined && sent === this.#sentBefore) return this.#cut();
    this.#sentBefore = sent;
    if (writableLength === 0) this.#connection.write(':\n\n');
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#connection.end();
  }

  #write(text: string): void {
    if (this.#isEnded) return;
    if (this.#connection.writableLength + text.length > MAX_BUFFERED) return this.#cut();
    this.#connection.write(text);
  }

  #cut(): void {
    this.#isEnded = true;
    this.#connection.destroy();
  }
}

function eventOf(event: string, data: object, id?: string): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}
