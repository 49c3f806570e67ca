// What a Dockerfile tells about an Actor. It is not executed: only its base image, and the command of Python, are of use.

/** Images of Python itself, and those of the platform for Actors: `apify/actor-python-playwright:3.13`. */
const PYTHON_IMAGE = /^(?:.*\/)?(?:python|actor-python[\w-]*)$/i;
/** Python with plain words: nothing that a shell would treat in a special way. */
const PLAIN_PYTHON = /^python3?((?:\s+[\w./@:=,+-]+)+)$/;

export interface PythonImage {
  /** The arguments of Python, where the image is started by it. */
  args: readonly string[] | undefined;
}

/** Of the last stage; undefined where its image is not one of Python. */
export function parsePythonImage(dockerfile: string): PythonImage | undefined {
  const stages = new Map<string, string>();
  let image = '';
  let command: string | undefined;
  for (const [word, rest] of instructionsOf(dockerfile)) {
    if (word === 'FROM') {
      const [base = '', as = '', name = ''] = rest.split(/\s+/).filter((part) => !part.startsWith('--'));
      image = stages.get(base.toLowerCase()) ?? base;
      if (as.toUpperCase() === 'AS') stages.set(name.toLowerCase(), image);
      command = undefined;
    }
    if (word === 'CMD') command = rest;
  }
  // Without the tag and the digest.
  const name = image.replace(/@.*$/, '').replace(/:[^/]*$/, '');
  return PYTHON_IMAGE.test(name) ? { args: command === undefined ? undefined : argsOf(command) } : undefined;
}

function instructionsOf(dockerfile: string): [word: string, rest: string][] {
  const lines = dockerfile.split(/\r?\n/).filter((line) => !/^\s*#/.test(line));
  return lines
    .join('\n')
    .replaceAll(/\\[ \t]*\n/g, ' ')
    .split('\n')
    .flatMap((line): [string, string][] => {
      const [, word, rest = ''] = /^\s*([A-Za-z]+)\s+(.*)$/.exec(line) ?? [];
      return word === undefined ? [] : [[word.toUpperCase(), rest.trim()]];
    });
}

/** A list is executed as it is; anything else is a line. */
function argsOf(command: string): readonly string[] | undefined {
  if (!command.startsWith('[')) return parsePythonLine(command);
  let words: unknown;
  try {
    words = JSON.parse(command);
  } catch {
    return undefined;
  }
  if (!Array.isArray(words) || !words.every((word): word is string => typeof word === 'string'))
    return undefined;
  const [first, ...args] = words;
  return first === 'python' || first === 'python3' ? args : undefined;
}

/** The arguments of a line that starts Python and nothing else. */
export function parsePythonLine(line: string): readonly string[] | undefined {
  return PLAIN_PYTHON.exec(line.trim())?.[1]?.trim().split(/\s+/);
}
