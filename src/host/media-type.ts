// The host's media types, `application/vnd.<vendor>.v3.raw+json`, in the Accept header and in the header that reports them.
import { BoundedCache } from '../kernel/collections/bounded-cache.ts';
import { Failure } from '../kernel/failure.ts';

const VENDOR_TYPE =
  /^application\/vnd\.[\w-]+(?:\.(?<version>v3|beta))?(?<param>(?:\.[\w-]+)*)(?<json>\+json)?$/;

export interface AcceptedType {
  /** The word after the version, such as `raw`. */
  param?: string;
  isBeta?: true;
  isJson: boolean;
}

/** Parses one Accept value, without its parameters. Undefined for a type that the host does not produce. */
export function parseAcceptedType(type: string): AcceptedType | undefined {
  const name = typeName(type);
  if (name === 'application/json') return { isJson: true };
  if (name === '' || name === '*/*' || name === 'application/*') return { isJson: false };
  const { version, param, json } = VENDOR_TYPE.exec(name)?.groups ?? {};
  if (param === undefined) return undefined;
  return {
    ...(param !== '' && { param: param.slice(1) }),
    ...(version === 'beta' && { isBeta: true }),
    isJson: json !== undefined,
  };
}

function typeName(type: string): string {
  return type.split(';', 1)[0]!.trim().toLowerCase();
}

/** Throws when no type in the Accept header is acceptable. Any vendor's name is accepted. */
export function checkAccept(
  accept: string | undefined,
  produces = 'application/json',
  others: readonly string[] = [],
): void {
  if (accept === undefined || UNDERSTOOD.get(accept) !== undefined) return;
  const types = accept.split(',');
  const group = `${produces.split('/', 1)[0]}/*`;
  if (types.some((type) => parseAcceptedType(type) !== undefined)) return;
  if (produces === '*/*' || types.map(typeName).some((name) => name === produces || name === group)) return;
  if (others.some((type) => asksForType(accept, type))) return;
  throw new Failure(
    'not-acceptable',
    `Unsupported 'Accept' header: ${accept}. Must accept 'application/json'.`,
  );
}

/** Whether the list names exactly this type. */
export function asksForType(accept: string | string[] | undefined, type: string): boolean {
  return String(accept ?? '')
    .split(',')
    .some((one) => typeName(one) === type);
}

/** The type that an Accept header asks for, and the word in it that chooses a format, such as `raw`. */
export interface AskedFormat {
  name: string;
  param?: string;
}

/** The first type of the list that the host produces decides. */
export function askedFormat(accept: string | string[] | undefined): AskedFormat {
  for (const type of String(accept ?? '').split(',')) {
    const accepted = parseAcceptedType(type);
    if (accepted === undefined) continue;
    const { param } = accepted;
    return { name: typeName(type), ...(param !== undefined && { param }) };
  }
  return { name: '' };
}

/** Clients send the same few values repeatedly. */
const UNDERSTOOD = new BoundedCache<string, UnderstoodAccept>({ max: 100 });

interface UnderstoodAccept {
  isBeta: boolean;
  param: string | undefined;
  /** After the word for the version, in the header that reports the media type. */
  suffix: string;
}

/** The first type of the list that the host produces decides. */
function understand(accept: string): UnderstoodAccept {
  const known = UNDERSTOOD.get(accept);
  if (known !== undefined) return known;
  const type = accept
    .split(',')
    .map(parseAcceptedType)
    .find((one) => one !== undefined);
  const param = type?.param === undefined ? '' : `; param=${type.param}`;
  const suffix = `${param}${type?.isJson === true ? '; format=json' : ''}`;
  const understood = { isBeta: type?.isBeta === true, param: type?.param, suffix };
  if (type !== undefined) UNDERSTOOD.set(accept, understood);
  return understood;
}

/** The value of the media-type response header after the vendor's name. */
export function describeAccept(accept = '', word = 'v3'): string {
  return word + understand(accept).suffix;
}

/** Whether the shapes of `application/vnd.<vendor>.beta+json` are asked for. */
export function asksForBeta(accept = ''): boolean {
  return understand(accept).isBeta;
}

/** The word after the version in the media type that is asked for, such as `raw` or `star`. */
export function mediaParamOf(accept = ''): string | undefined {
  return understand(accept).param;
}
