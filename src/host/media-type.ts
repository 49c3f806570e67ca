// The host's media types: `application/vnd.<vendor>.v3.raw+json` and what we report to have understood of it.
import { BoundedCache } from '../kernel/bounded-cache.ts';
import { Failure } from '../kernel/failure.ts';

const VENDOR_TYPE =
  /^application\/vnd\.[\w-]+(?:\.(?<version>v3|beta))?(?<param>(?:\.[\w-]+)*)(?<json>\+json)?$/;

export interface MediaType {
  /** The word after the version, such as `raw`. */
  param?: string;
  isJson: boolean;
}

/** Reads one Accept value, without its parameters. Undefined for a type that has nothing to do with us. */
export function parseMediaType(type: string): MediaType | undefined {
  const name = nameOf(type);
  if (name === 'application/json') return { isJson: true };
  if (name === '' || name === '*/*' || name === 'application/*') return { isJson: false };
  const { param, json } = VENDOR_TYPE.exec(name)?.groups ?? {};
  if (param === undefined) return undefined;
  return { ...(param !== '' && { param: param.slice(1) }), isJson: json !== undefined };
}

function nameOf(type: string): string {
  return type.split(';', 1)[0]!.trim().toLowerCase();
}

/** Refuses an Accept in which nothing is ours. Any vendor's word will do. */
export function checkAccept(accept: string | undefined, produces = 'application/json'): void {
  if (accept === undefined || KNOWN.get(accept) !== undefined) return;
  const types = accept.split(',');
  const group = `${produces.split('/', 1)[0]}/*`;
  if (types.some((type) => parseMediaType(type) !== undefined)) return;
  if (types.map(nameOf).some((name) => name === produces || name === group)) return;
  throw new Failure(
    'not-acceptable',
    `Unsupported 'Accept' header: ${accept}. Must accept 'application/json'.`,
  );
}

/** Clients send the same few values over and over. */
const KNOWN = new BoundedCache<string, string>({ max: 100 });

/** What the media-type response header says after the vendor's word. */
export function describeAccept(accept = ''): string {
  const known = KNOWN.get(accept);
  if (known !== undefined) return known;
  const understood = accept
    .split(',')
    .map(parseMediaType)
    .find((type) => type !== undefined);
  const param = understood?.param === undefined ? '' : `; param=${understood.param}`;
  const told = `v3${param}${understood?.isJson === true ? '; format=json' : ''}`;
  if (understood !== undefined) KNOWN.set(accept, told);
  return told;
}
