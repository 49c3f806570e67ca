// The pre-receive hook of git: the program that asks whether a push may be accepted, and the server's side of the talk with it.
import { createHash } from 'node:crypto';
import { access, constants, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PRIVATE_FOLDER } from '../../kernel/storage/disk/private-files.ts';
import { asStorageFailure } from '../../kernel/storage/storage-failure.ts';
import { splitLines } from '../../kernel/text/split-lines.ts';
import type { GitProcess } from '../git/process/git-process.ts';
import { ZERO_OID } from '../git/objects/object-id.ts';
import type { RefChange } from '../protection/check-ref-changes.ts';

/**
 * It writes the folder of the new objects and the lines that git gives it, and reads lines to print until the verdict. Where
 * the server dies, it reads the end of the pipe, and refuses.
 */
const PROGRAM = `#!/bin/sh
{ printf 'quarantine %s\\n' "$GIT_QUARANTINE_PATH" && cat && printf '\\n'; } >&3 || exit 1
while IFS= read -r line <&4; do
  case $line in
    accepted) exit 0 ;;
    refused) exit 1 ;;
    *) printf '%s\\n' "\${line#|}" >&2 ;;
  esac
done
exit 1
`;
const EXECUTABLE = 0o700;

/**
 * The one hook of git: a shell program that asks the server whether a push may be accepted, over pipes that
 * it inherits.
 */
export class HookFolder {
  readonly #folder: string;

  /** Named by the content, so that servers of several releases can share the folder. */
  constructor(repositories: string) {
    const hash = createHash('sha256').update(PROGRAM).digest('hex').slice(0, 16);
    this.#folder = join(repositories, 'hooks', hash);
  }

  /**
   * The folder for `core.hooksPath`. Git would silently skip a hook that is missing or cannot be executed.
   * @throws {Failure} where it cannot be executed.
   */
  async ensure(): Promise<string> {
    const hook = join(this.#folder, 'pre-receive');
    try {
      await access(hook, constants.X_OK).catch(() => this.#write(hook));
      await access(hook, constants.X_OK);
    } catch (error) {
      throw asStorageFailure(error);
    }
    return this.#folder;
  }

  async #write(hook: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: PRIVATE_FOLDER });
    const fresh = `${hook}-${process.pid}`;
    try {
      await writeFile(fresh, PROGRAM, { mode: EXECUTABLE, flush: true });
      await rename(fresh, hook);
    } finally {
      await rm(fresh, { force: true });
    }
  }
}

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
