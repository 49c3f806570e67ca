// The location of blobs in object storage, as written in the setting: s3://bucket/prefix?endpoint=…&region=…

export interface S3Location {
  bucket: string;
  /** The prefix of every key: empty, or ending in a slash. */
  prefix: string;
  /** Without a trailing slash. */
  endpoint: string;
  region: string;
  /** Whether clients are redirected to the object storage for large objects: off where they cannot reach it. */
  redirects: boolean;
}

const FORM = 'a folder or s3://bucket/prefix?endpoint=https://…&region=…&redirect=yes|no';
const KNOWN = ['endpoint', 'region', 'redirect'];

/** Throws an error whose message completes "must be …". */
export function readS3Location(text: string): S3Location {
  if (!URL.canParse(text)) throw new Error(FORM);
  const { hostname: bucket, pathname, searchParams: query, username, hash } = new URL(text);
  const path = decodeURIComponent(pathname).replaceAll(/^\/+|\/+$/g, '');
  const region = query.get('region') ?? 'us-east-1';
  const endpoint = query.get('endpoint') ?? `https://s3.${region}.amazonaws.com`;
  const redirect = query.get('redirect') ?? 'yes';
  const isGood =
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) &&
    /^[a-z0-9-]+$/.test(region) &&
    URL.canParse(endpoint) &&
    /^https?:\/\/[^/?#@]+\/?$/.test(endpoint) &&
    ['yes', 'no'].includes(redirect) &&
    [...query.keys()].every((name) => KNOWN.includes(name)) &&
    // Credentials here would show in process lists and logs.
    username === '' &&
    hash === '';
  if (!isGood) throw new Error(FORM);
  return {
    bucket,
    prefix: path === '' ? '' : `${path}/`,
    endpoint: endpoint.replace(/\/$/, ''),
    region,
    redirects: redirect === 'yes',
  };
}
