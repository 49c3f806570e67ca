// Reports the error of a command: one sentence that says what to do, without passwords, and an exit code.
import { CommanderError } from 'commander';
import { Failure, type FailureKind } from '../kernel/failure.ts';
import type { Io } from './io.ts';
import { diskFull, isDiskFull } from '../kernel/storage/storage-failure.ts';
import { maskPasswords } from '../kernel/text/mask-passwords.ts';

/** `waiting` is for commands that wait for something, and were told for how long. */
export const EXIT = { good: 0, failed: 1, wrongUse: 2, waiting: 3 } as const;

const WRONG_USE: readonly FailureKind[] = ['invalid', 'malformed'];

/** Prints the error, unless Commander has printed it, and returns the exit code. */
export function reportError(error: unknown, argv: readonly string[], io: Io): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.good : EXIT.wrongUse;
  io.err(maskPasswords(isDebug(argv, io) ? stackOf(error) : sentenceOf(error)));
  return error instanceof Failure && WRONG_USE.includes(error.kind) ? EXIT.wrongUse : EXIT.failed;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function sentenceOf(error: unknown): string {
  const sentence = endSentence(messageOf(error));
  if (error instanceof Failure || isDiskFull(error)) return sentence;
  return `${sentence} Set SIGNALBOX_LOG_LEVEL=debug to see where it comes from.`;
}

/** Rewrites Commander's message as a sentence: `error: unknown option '--prot'\n(Did you mean --port?)`. */
export function describeWrongUse(complaint: string, { program }: Io): string {
  const [first = '', hint] = complaint
    .trim()
    .replace(/^error: /, '')
    .split('\n');
  const sentence = endSentence(first.charAt(0).toUpperCase() + first.slice(1));
  return [sentence, hint?.replace(/^\((.*)\)$/, '$1') ?? `See ${program} --help.`].join(' ');
}

/** An AggregateError may have no message of its own: a refused connection holds one error per address tried. */
export function messageOf(error: unknown): string {
  if (isDiskFull(error)) return diskFull(error).message;
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  const { message, cause } = error as Error;
  if (error instanceof Failure) return message;
  return cause instanceof Error && !message.includes(cause.message)
    ? `${message}: ${cause.message}`
    : message;
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function isDebug(argv: readonly string[], { env }: Io): boolean {
  const flag = argv.findIndex((word) => word.startsWith('--log-level'));
  const level = flag === -1 ? env['SIGNALBOX_LOG_LEVEL'] : (argv[flag]!.split('=', 2)[1] ?? argv[flag + 1]);
  return level === 'debug' || level === 'trace';
}
