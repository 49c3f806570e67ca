// The same call as a program in Python, with its standard library alone.
import { bodyText, TOKEN, type SampleCall } from './samples.ts';

export function pythonOf({ method, url, headers, body }: SampleCall): string {
  const lines = headers.map(([name, value]) => `        ${literal(name)}: ${headerValue(value)},`);
  const isJson = body !== undefined && typeof body !== 'string';
  const imports = [...(isJson ? ['json'] : []), ...(lines.some(hasToken) ? ['os'] : [])];
  return [
    ...imports.map((name) => `import ${name}`),
    'from urllib.request import Request, urlopen',
    '',
    'request = Request(',
    `    ${literal(url)},`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    ...(lines.length === 0 ? [] : ['    headers={', ...lines, '    },']),
    ...(body === undefined
      ? []
      : [`    data=${isJson ? jsonBody(body) : `${literal(bodyText(body))}.encode()`},`]),
    ')',
    'with urlopen(request) as response:',
    '    print(response.status, response.read().decode())',
  ].join('\n');
}

const hasToken = (line: string) => line.includes('os.environ');

function headerValue(value: string): string {
  if (!value.includes(TOKEN)) return literal(value);
  const start = value.replace(TOKEN, '');
  const variable = 'os.environ["SIGNALBOX_TOKEN"]';
  return start === '' ? variable : `${literal(start)} + ${variable}`;
}

function jsonBody(body: unknown): string {
  return `json.dumps(${valueOf(body, '    ')}).encode()`;
}

/** JSON is Python but for three words. */
function valueOf(value: unknown, indent: string): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return literal(value);
  const inner = `${indent}    `;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const items = Array.isArray(value)
    ? value.map((one) => `${inner}${valueOf(one, inner)},`)
    : Object.entries(value).map(([name, one]) => `${inner}${literal(name)}: ${valueOf(one, inner)},`);
  return items.length === 0 ? `${open}${close}` : `${open}\n${items.join('\n')}\n${indent}${close}`;
}

/** Texts of JSON are texts of Python. */
function literal(text: string): string {
  return JSON.stringify(text);
}
