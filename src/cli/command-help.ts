// What commands have in common: the options for output, examples and notes in their help, and the end of a run.
import type { Command } from 'commander';

const EXIT_CODES = 'Exit codes: 0 good, 1 failed, 2 wrong use.';

/** Takes the exit code. */
export type End = (code: number) => void;

/** Without either, output that does not go to a terminal is JSON. */
export function addJson(command: Command): void {
  command
    .option('--json', 'Print JSON [default when the output is not a terminal]')
    .option('--no-json', 'Print text for people');
}

export function explain(command: Command, examples: readonly string[], notes: readonly string[] = []): void {
  command.addHelpText('after', () => {
    const name = nameOf(command);
    const lines = ['', 'Examples:', ...examples.map((example) => `  ${name} ${example}`)];
    return [...lines, '', ...notes.map((note) => note.replaceAll('signalbox', name)), EXIT_CODES].join('\n');
  });
}

/** The name of the program, as it was started. */
function nameOf(command: Command): string {
  return command.parent === null ? command.name() : nameOf(command.parent);
}
