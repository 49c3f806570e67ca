// The command `completion`: scripts by which shells complete commands, options and their values.
import { readCommandFacts, type CommandFacts, type OptionFacts } from './command-facts.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export function completionScript(shell: Shell): string {
  const facts = readCommandFacts();
  // Options of the program are taken everywhere.
  const common = facts[0]!.options;
  const all = facts.map((one) => ({ ...one, options: [...one.options, ...(one.path === '' ? [] : common)] }));
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](all);
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The words of the line that name a command, joined: options and arguments between them do not matter. */
function pathsOf(facts: readonly CommandFacts[]): string {
  return facts
    .filter(({ path }) => path !== '')
    .map(({ path }) => quote(` ${path}`))
    .join('|');
}

function flagsOf(options: readonly OptionFacts[]): string[] {
  return options.flatMap(({ long, short }) => [long, ...(short === undefined ? [] : [short])]);
}

/** Values of options, and of the first argument. */
function choicesOf(
  facts: readonly CommandFacts[],
): { path: string; before: readonly string[]; choices: readonly string[] }[] {
  return facts.flatMap(({ path, options }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .map(({ long, short, choices }) => ({
        path,
        before: [long, ...(short === undefined ? [] : [short])],
        choices,
      })),
  );
}

function wordsOf({ commands, arguments: args }: CommandFacts): string[] {
  return [...commands.map(({ name }) => name), ...args.flatMap(({ choices }) => choices)];
}

const at = (path: string) => (path === '' ? "''" : quote(` ${path}`));

function bashScript(facts: readonly CommandFacts[]): string {
  return `# bash: add  source <(signalbox completion bash)  to ~/.bashrc
_signalbox() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at='' word i words='' options=''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$at $word" in ${pathsOf(facts)}) at="$at $word" ;; esac
  done
  case "$at $prev" in
${choicesOf(facts)
  .map(
    ({ path, before, choices }) =>
      `    ${before.map((flag) => quote(path === '' ? ` ${flag}` : ` ${path} ${flag}`)).join('|')}) COMPREPLY=($(compgen -W ${quote(choices.join(' '))} -- "$cur")); return ;;`,
  )
  .join('\n')}
  esac
  case "$at" in
${facts.map((one) => `    ${at(one.path)}) words=${quote(wordsOf(one).join(' '))} options=${quote(flagsOf(one.options).join(' '))} ;;`).join('\n')}
  esac
  if [[ $cur == -* ]]; then words=$options; fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _signalbox signalbox`;
}

/** A colon would end the word of a description. */
const described = (name: string, text: string) => quote(`${name.replaceAll(':', '\\:')}:${text}`);

function zshScript(facts: readonly CommandFacts[]): string {
  return `#compdef signalbox
# zsh: add  source <(signalbox completion zsh)  to ~/.zshrc, after compinit
_signalbox() {
  local at='' word
  local -a items options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in (${pathsOf(facts)}) at="$at $word" ;; esac
  done
  case "$at \${words[CURRENT-1]}" in
${choicesOf(facts)
  .map(
    ({ path, before, choices }) =>
      `    (${before.map((flag) => quote(path === '' ? ` ${flag}` : ` ${path} ${flag}`)).join('|')}) compadd -- ${choices.map(quote).join(' ')}; return ;;`,
  )
  .join('\n')}
  esac
  case "$at" in
${facts
  .map((one) => {
    const items = [
      ...one.commands.map(({ name, description }) => described(name, description)),
      ...one.arguments.flatMap(({ choices }) => choices.map(quote)),
    ];
    const options = one.options.map(({ long, description }) => described(long, description));
    return `    (${at(one.path)}) items=(${items.join(' ')}) options=(${options.join(' ')}) ;;`;
  })
  .join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then _describe 'option' options
  elif (( \${#items} )); then _describe 'command' items
  else _files
  fi
}
compdef _signalbox signalbox`;
}

function fishScript(facts: readonly CommandFacts[]): string {
  const lines = facts.flatMap((one) => {
    const here = `complete -c signalbox -n ${quote(`__signalbox_at ${quote(one.path)}`)}`;
    return [
      ...one.commands.map(({ name, description }) => `${here} -f -a ${quote(name)} -d ${quote(description)}`),
      ...one.arguments.flatMap(({ choices, description }) =>
        choices.map((choice) => `${here} -f -a ${quote(choice)} -d ${quote(description)}`),
      ),
      ...one.options.map(({ long, short, takesValue, description, choices }) =>
        [
          here,
          `-l ${quote(long.replace(/^--/, ''))}`,
          ...(short === undefined ? [] : [`-s ${quote(short.replace(/^-/, ''))}`]),
          ...(takesValue ? ['-r'] : []),
          ...(choices.length > 0 ? [`-f -a ${quote(choices.join(' '))}`] : []),
          `-d ${quote(description)}`,
        ].join(' '),
      ),
    ];
  });
  const known = facts.map(({ path }) => path).filter((path) => path !== '');
  return `# fish: signalbox completion fish > ~/.config/fish/completions/signalbox.fish
function __signalbox_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$at $word")
    if contains -- "$next" ${known.map(quote).join(' ')}
      set at $next
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}`;
}
