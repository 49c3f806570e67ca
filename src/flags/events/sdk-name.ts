// The name and version of an SDK, from the headers of its requests.
import type { IncomingHttpHeaders } from 'node:http';

/** Only harmless characters: it is stored, and shown in metrics. */
const PRODUCT = /^[A-Za-z][\w.-]{0,49}\/\d[\w.+-]{0,29}(?=$|[\s;,(])/;
/** Every browser sends this, whatever SDK runs in it. */
const BROWSER = /^Mozilla\//;

const UNKNOWN_SDK = 'unknown';
/** For all SDKs beyond as many as are counted one by one. */
export const OTHER_SDKS = 'other';

/** Like `NodeJSClient/9.13.7`. Browsers cannot set User-Agent, so that SDKs have a header of their own. */
export function sdkNameOf(
  headers: IncomingHttpHeaders | Record<string, string | string[] | undefined>,
): string {
  const own = String(headers['x-launchdarkly-user-agent'] ?? '');
  const [name] = PRODUCT.exec(own) ?? PRODUCT.exec(String(headers['user-agent'] ?? '')) ?? [];
  return name === undefined || BROWSER.test(name) ? UNKNOWN_SDK : name;
}
