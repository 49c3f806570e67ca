// Reads a Content-Type header (RFC 9110, section 8.3.1).
import { Failure } from '../../failure.ts';

export interface MediaType {
  /** In lower case, for example `application/json`. */
  type: string;
  /** Names in lower case, values as they were sent, without their quotes. Of a repeated name the first counts. */
  parameters: Record<string, string>;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const quoted = String.raw`"(?:[\t !#-\[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"`;
const essence = new RegExp(`^[ \\t]*(${token}/${token})`);
const beginning = new RegExp(`^[ \\t]*${token}/${token}[ \\t]*(?:;|$)`);
const parameter = new RegExp(`[ \\t]*;[ \\t]*(?:(${token})=(${token}|${quoted}))?`, 'y');

/** Which types a call takes is for its protocol to say; what is no type at all, none does. */
export function checkMediaType(header: string | undefined): void {
  if (header === undefined || beginning.test(header)) return;
  throw new Failure('malformed', 'The Content-Type is not a media type, such as application/json.', {
    part: 'content-type',
  });
}

export function parseMediaType(header: string): MediaType | undefined {
  const start = essence.exec(header);
  if (!start?.[1]) return undefined;
  const parameters = new Map<string, string>();
  let end = start[0].length;
  for (;;) {
    parameter.lastIndex = end;
    const [whole, name, value] = parameter.exec(header) ?? [];
    if (whole === undefined) break;
    end += whole.length;
    if (name === undefined || value === undefined || parameters.has(name.toLowerCase())) continue;
    parameters.set(
      name.toLowerCase(),
      value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value,
    );
  }
  if (header.slice(end).trim() !== '') return undefined;
  return { type: start[1].toLowerCase(), parameters: Object.fromEntries(parameters) };
}
