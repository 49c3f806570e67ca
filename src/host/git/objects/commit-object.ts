// Reads the bytes of commits and annotated tags. Broken ones give empty fields, not errors.

/** The largest time that JavaScript's dates can express. */
const MAX_TIME_MS = 8.64e15;

export interface GitPerson {
  name: string;
  email: string;
  /** In milliseconds; 0 where it cannot be read. */
  time: number;
  /** Minutes east of UTC. */
  zone: number;
}

export interface GitSignature {
  /** The armored signature. */
  signature: string;
  /** The bytes that are signed, as text. */
  payload: string;
}

export interface GitCommit {
  oid: string;
  tree: string;
  parents: string[];
  author: GitPerson;
  committer: GitPerson;
  message: string;
  /** The character encoding of names and message, where it is not UTF-8. */
  encoding?: string;
  signed?: GitSignature;
}

export interface GitTag {
  oid: string;
  /** The id of the tagged object. */
  target: string;
  targetType: string;
  name: string;
  /** Very old tags have none. */
  tagger?: GitPerson;
  message: string;
  signed?: GitSignature;
}

export function parseCommit(oid: string, bytes: Buffer): GitCommit {
  const { headers, body } = splitObject(bytes);
  const encoding = valueOf(headers, 'encoding')?.toString('latin1');
  const decode = decoderOf(encoding);
  const signature = valueOf(headers, 'gpgsig')?.toString();
  return {
    oid,
    tree: valueOf(headers, 'tree')?.toString('latin1') ?? '',
    parents: headers.filter(({ key }) => key === 'parent').map(({ value }) => value.toString('latin1')),
    author: parsePerson(decode(valueOf(headers, 'author'))),
    committer: parsePerson(decode(valueOf(headers, 'committer'))),
    message: decode(body),
    ...(encoding !== undefined && { encoding }),
    ...(signature !== undefined && { signed: { signature, payload: payloadOf(headers, body) } }),
  };
}

export function parseTag(oid: string, bytes: Buffer): GitTag {
  const { headers, body } = splitObject(bytes);
  const tagger = valueOf(headers, 'tagger');
  const text = body.toString();
  const start = text.search(/^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----$/m);
  const message = start === -1 ? text : text.slice(0, start);
  const payload = () => `${bytes.subarray(0, bytes.length - body.length).toString()}${message}`;
  return {
    oid,
    target: valueOf(headers, 'object')?.toString('latin1') ?? '',
    targetType: valueOf(headers, 'type')?.toString('latin1') ?? '',
    name: valueOf(headers, 'tag')?.toString() ?? '',
    ...(tagger !== undefined && { tagger: parsePerson(tagger.toString()) }),
    message,
    ...(start !== -1 && { signed: { signature: text.slice(start), payload: payload() } }),
  };
}

interface Header {
  key: string;
  /** Without the space that begins each continued line. */
  value: Buffer;
  /** The whole lines, the final newline included. */
  raw: Buffer;
}

/** The body follows the first empty line. */
function splitObject(bytes: Buffer): { headers: Header[]; body: Buffer } {
  const headers: Header[] = [];
  let start = 0;
  while (start < bytes.length && bytes[start] !== 0x0a) {
    const lines: Buffer[] = [];
    let next = start;
    do {
      const end = bytes.indexOf(0x0a, next);
      const stop = end === -1 ? bytes.length : end;
      lines.push(bytes.subarray(next, stop));
      next = stop + 1;
    } while (bytes[next] === 0x20);
    headers.push(headerOf(lines, bytes.subarray(start, next)));
    start = next;
  }
  return { headers, body: bytes.subarray(start + 1) };
}

function headerOf([first, ...rest]: Buffer[], raw: Buffer): Header {
  const space = first!.indexOf(0x20);
  const at = space === -1 ? first!.length : space;
  const newline = Buffer.from('\n');
  const parts = [first!.subarray(at + 1), ...rest.flatMap((line) => [newline, line.subarray(1)])];
  return {
    key: first!.toString('latin1', 0, at),
    value: parts.length === 1 ? parts[0]! : Buffer.concat(parts),
    raw,
  };
}

function valueOf(headers: Header[], name: string): Buffer | undefined {
  return headers.find(({ key }) => key === name)?.value;
}

/** A signature covers the commit without the headers of signatures. */
function payloadOf(headers: Header[], body: Buffer): string {
  const kept = headers.filter(({ key }) => key !== 'gpgsig' && key !== 'gpgsig-sha256');
  return Buffer.concat([...kept.map(({ raw }) => raw), Buffer.from('\n'), body]).toString();
}

/** An unknown encoding is read as UTF-8. */
function decoderOf(encoding: string | undefined): (bytes: Buffer | undefined) => string {
  if (encoding === undefined) return (bytes) => bytes?.toString() ?? '';
  try {
    const decoder = new TextDecoder(encoding);
    return (bytes) => decoder.decode(bytes);
  } catch {
    return (bytes) => bytes?.toString() ?? '';
  }
}

function parsePerson(text: string): GitPerson {
  const close = text.lastIndexOf('>');
  const open = text.indexOf('<');
  const isWhole = open !== -1 && open < close;
  const [, seconds, sign, hours, minutes] =
    /^ *(-?\d+)(?: ([+-])(\d\d)(\d\d))?/.exec(text.slice(close + 1)) ?? [];
  const time = Number(seconds ?? 0) * 1000;
  const zone = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
  return {
    name: (isWhole ? text.slice(0, open) : text).trim(),
    email: isWhole ? text.slice(open + 1, close).trim() : '',
    time: Math.abs(time) <= MAX_TIME_MS ? time : 0,
    zone: sign === '-' && zone > 0 ? -zone : zone,
  };
}
