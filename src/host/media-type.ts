// The host's media types, `application/vnd.<vendor>.v3.raw+json`, in the Accept header and in the header that reports them.
import { BoundedCache } from '../kernel/bounded-cache.ts';
import { Failure } from '../kernel/failure.ts';

const VENDOR_TYPE =
  /^application\/vnd\.[\w-]+(?:\.(?<version>v3|beta))?(?<param>(?:\.[\w-]+)*)(?<json>\+json)?$/;

export interface AcceptedType {
  /** The word after the version, such as `raw`. */
  param?: string;
  isJson: boolean;
}

/** Parses one Accept value, without its parameters. Undefined for a type that the host does not produce. */
export function parseAcceptedType(type: string): AcceptedType | undefined {
  const name = typeName(type);
  if (name === 'application/json') return { isJson: true };
  if (name === '' || name === '*/*' || name === 'application/*') return { isJson: false };
  const { param, json } = VENDOR_TYPE.exec(name)?.groups ?? {};
  if (param === undefined) return undefined;
  return { ...(param !== '' && { param: param.slice(1) }), isJson: json !== undefined };
}

function typeName(type: string): string {
  return type.split(';', 1)[0]!.trim().toLowerCase();
}

/** Throws when no type in the Accept header is acceptable. Any vendor's name is accepted. */
export function checkAccept(accept: string | undefined, produces = 'application/json'): void {
  if (accept === undefined || DESCRIPTIONS.get(accept) !== undefined) return;
  const types = accept.split(',');
  const group = `${produces.split('/', 1)[0]}/*`;
  if (types.some((type) => parseAcceptedType(type) !== undefined)) return;
  if (types.map(typeName).some((name) => name === produces || name === group)) return;
  throw new Failure(
    'not-acceptable',
    `Unsupported 'Accept' header: ${accept}. Must accept 'application/json'.`,
  );
}

/** Clients send the same few values repeatedly. */
const DESCRIPTIONS = new BoundedCache<string, string>({ max: 100 });

/** The value of the media-type response header after the vendor's name. */
export function describeAccept(accept = ''): string {
  const known = DESCRIPTIONS.get(accept);
  if (known !== undefined) return known;
  const understood = accept
    .split(',')
    .map(parseAcceptedType)
    .find((type) => type !== undefined);
  const param = understood?.param === undefined ? '' : `; param=${understood.param}`;
  const description = `v3${param}${understood?.isJson === true ? '; format=json' : ''}`;
  if (understood !== undefined) DESCRIPTIONS.set(accept, description);
  return description;
}
