// The server's side of the talk with the pre-receive hook: reads what a push changes, and answers with a verdict.
import type { RawRouteCall } from '../../kernel/http/raw-route.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { splitLines } from '../../kernel/text/split-lines.ts';
import type { GitProcess } from '../git/process/git-process.ts';
import { ZERO_OID } from '../git/objects/object-id.ts';
import type { RefChange } from '../protection/check-ref-changes.ts';

export interface ProposedPush {
  /** The folder of the new objects; undefined where there are none, as when references are only deleted. */
  quarantine: string | undefined;
  /** The first of them, where there are too many. */
  changes: RefChange[];
  /** How many there are. */
  count: number;
}

const LINE = /^([0-9a-f]{40}) ([0-9a-f]{40}) ([^]+)$/;

/** Undefined where git ends without asking: it has found something wrong by itself, or there is nothing to change. */
export async function readProposal(
  { input }: NonNullable<GitProcess['dialogue']>,
  maxChanges: number,
): Promise<ProposedPush | undefined> {
  const lines = splitLines(input.iterator({ destroyOnReturn: false }));
  let quarantine: string | undefined;
  let count = 0;
  const changes: RefChange[] = [];
  for await (const line of lines) {
    if (line === '') return { quarantine, changes, count };
    if (line.startsWith('quarantine ')) {
      quarantine = line.slice('quarantine '.length) || undefined;
      continue;
    }
    const [, from, to, name] = LINE.exec(line) ?? [];
    if (name === undefined) return undefined;
    count += 1;
    if (changes.length < maxChanges) changes.push({ name, from: oidOf(from!), to: oidOf(to!) });
  }
  return undefined;
}

/** No message accepts the push. */
export function answerProposal(
  { output }: NonNullable<GitProcess['dialogue']>,
  messages: readonly string[],
): void {
  const lines = messages.flatMap((message) => message.split('\n')).map((line) => `|${plain(line)}\n`);
  output.end(`${lines.join('')}${messages.length === 0 ? 'accepted' : 'refused'}\n`);
}

/** Names of references come from the pusher, and are shown in a terminal. */
function plain(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '?');
}

function oidOf(hex: string): string | undefined {
  return hex === ZERO_OID ? undefined : hex;
}

/**
 * The call as it is when all of the push has come: much can change while that takes. Throws where the token is gone;
 * `action` is that of the route.
 */
export async function callAgain(
  { identity, clock }: Kernel,
  caller: KnownCaller,
  action: string,
): Promise<Pick<RawRouteCall, 'caller' | 'can' | 'now'>> {
  const now = clock.now();
  const present = await identity.identifyAgain(caller, now);
  return { caller: present, now, can: (resource, other = action) => can(present, other, resource) };
}
