// The manual page, from the definitions of the commands and settings. It is part of the npm package.
import { SETTING_NAMES, SETTINGS } from '../../app/config.ts';
import { RELEASE } from '../../app/release.ts';
import { readCommandFacts, type CommandFacts } from './command-facts.ts';

const ENVIRONMENT: [string, string][] = [
  ['SIGNALBOX_URL', 'The server that commands call, unless --url names another.'],
  ['SIGNALBOX_TOKEN', 'The access token for it.'],
  ['SIGNALBOX_PROFILE', 'The saved server that commands call.'],
  ['SIGNALBOX_BACKUP_PASSPHRASE', 'What backups are encrypted with.'],
  ['NO_COLOR', 'Without colours, whatever it holds.'],
];

const FILES: [string, string][] = [
  ['./signalbox.json', 'Settings, by the names that config print shows; --config names another file.'],
  ['./data', 'Everything that is kept; --data names another folder.'],
  ['~/.config/signalbox/profiles.json', 'Saved servers and their tokens, for their owner alone.'],
];

const EXIT: [string, string][] = [
  ['0', 'Good.'],
  ['1', 'It failed, or what was asked about is not so: the help of each command says which.'],
  ['2', 'Wrong use: nothing was done.'],
  ['3', 'The time to wait is over, and what was waited for goes on.'],
  ['128 + N', 'Ended by signal N.'],
];

/** In the format that man reads. It has no date, so that it is the same for the same sources. */
export function manPage(): string {
  const [program, ...commands] = readCommandFacts() as [CommandFacts, ...CommandFacts[]];
  const variables = SETTING_NAMES.map((name): [string, string] => [
    SETTINGS[name].env,
    `${SETTINGS[name].describe}.`,
  ]);
  return [
    `.TH SIGNALBOX 1 "" "signalbox ${RELEASE}" "Signalbox"`,
    '.SH NAME',
    `signalbox \\- ${roff(program.description)}`,
    '.SH SYNOPSIS',
    `.B signalbox\n${roff(program.usage)}`,
    '.SH OPTIONS',
    'These may stand before a command or after it.',
    ...optionsOf(program),
    '.SH COMMANDS',
    ...commands
      .filter(({ commands: below, arguments: args }) => below.length === 0 || args.length > 0)
      .flatMap(commandOf),
    '.SH EXIT STATUS',
    ...list(EXIT),
    '.SH ENVIRONMENT',
    ...list([...ENVIRONMENT, ...variables]),
    '.SH FILES',
    ...list(FILES),
    '',
  ].join('\n');
}

function commandOf(command: CommandFacts): string[] {
  const { path, usage, description, further } = command;
  return [
    `.SS signalbox ${roff(path)}`,
    `.B signalbox ${roff(path)}\n${roff(usage)}`,
    '.PP',
    `${roff(description)}.`,
    ...list(command.arguments.map(({ name, description: text }) => [name, text])),
    ...optionsOf(command),
    '.PP\n.nf',
    roff(further),
    '.fi',
  ];
}

function optionsOf({ options }: CommandFacts): string[] {
  return list(options.map(({ flags, description }) => [flags, description]));
}

function list(entries: readonly (readonly [string, string])[]): string[] {
  return entries.map(([name, text]) => `.TP\n.B ${roff(name)}\n${roff(text)}`);
}

/** Backslashes and hyphens mean something, and so does a point at the beginning of a line. Other letters have names. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^([.'])/gm, '\\&$1')
    .replaceAll(
      /[^\p{ASCII}]/gu,
      (letter) => `\\[u${letter.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`,
    );
}
