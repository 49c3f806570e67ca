// What the definitions of the commands say, for the completion of shells and for the manual page.
import { createProgram } from '../program.ts';
import type { Command } from 'commander';

export interface OptionFacts {
  flags: string;
  long: string;
  short: string | undefined;
  takesValue: boolean;
  description: string;
  choices: readonly string[];
}

export interface CommandFacts {
  /** Without the name of the program: `token create`. */
  path: string;
  group: string;
  description: string;
  usage: string;
  arguments: { name: string; description: string; choices: readonly string[] }[];
  options: OptionFacts[];
  commands: { name: string; description: string }[];
  /** Examples, notes and exit codes, as the help has them. */
  further: string;
}

/** The program itself comes first, and each command before those below it. */
export function readCommandFacts(): CommandFacts[] {
  let printed = '';
  const io = {
    out: (text: string) => (printed += text),
    err() {},
    env: {},
    program: 'signalbox',
    isTerminal: false,
  };
  const program = createProgram(io, () => {});
  const visit = (command: Command, path: string): CommandFacts[] => {
    printed = '';
    command.outputHelp();
    const below = command.createHelp().visibleCommands(command);
    const facts: CommandFacts = {
      path,
      group: command.helpGroup(),
      description: command.description(),
      usage: command.usage(),
      arguments: command.registeredArguments.map((one) => ({
        name: one.variadic ? `${one.name()}...` : one.name(),
        description: one.description,
        choices: one.argChoices ?? [],
      })),
      options: command
        .createHelp()
        .visibleOptions(command)
        .map(({ flags, long, short, required, optional, description, argChoices }) => ({
          flags,
          long: long ?? '',
          short,
          takesValue: required || optional,
          description,
          choices: argChoices ?? [],
        })),
      commands: below.map((one) => ({ name: one.name(), description: one.description() })),
      further: printed.slice(Math.max(0, printed.indexOf('\nExamples:'))).trim(),
    };
    return [
      facts,
      ...below
        .filter((one) => one.name() !== 'help')
        .flatMap((one) => visit(one, `${path} ${one.name()}`.trim())),
    ];
  };
  return visit(program, '');
}
