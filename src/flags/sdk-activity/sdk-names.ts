// The names of SDKs: how they call themselves in the headers of their requests, and how their packages are called.
import type { IncomingHttpHeaders } from 'node:http';

type Headers = IncomingHttpHeaders | Record<string, string | string[] | undefined>;

/** Only harmless characters: it is stored, and shown in metrics. */
const PRODUCT = /^[A-Za-z][\w.-]{0,49}\/\d[\w.+-]{0,29}(?=$|[\s;,(])/;
/** Every browser sends this, whatever SDK runs in it. */
const BROWSER = /^Mozilla\//;

const UNKNOWN_SDK = 'unknown';
/** For all SDKs beyond as many as are counted one by one. */
export const OTHER_SDKS = 'other';

/** Like `NodeJSClient/9.13.7`. Browsers cannot set User-Agent, so that SDKs have a header of their own. */
export function sdkNameOf(headers: Headers): string {
  const own = String(headers['x-launchdarkly-user-agent'] ?? '');
  const [name] = PRODUCT.exec(own) ?? PRODUCT.exec(String(headers['user-agent'] ?? '')) ?? [];
  return name === undefined || BROWSER.test(name) ? UNKNOWN_SDK : name;
}

/** In lower case. */
export interface SdkNames {
  sdk: string;
  wrapper: string;
}

/** Only harmless characters: names are stored. */
const NAME = /^[A-Za-z][\w.-]{0,49}$/;

export function readSdkNames(headers: Headers): SdkNames {
  const [sdk = ''] = sdkNameOf(headers).split('/');
  return { sdk: sdk.toLowerCase(), wrapper: readName(String(headers['x-launchdarkly-wrapper'] ?? '')) };
}

/** Of a name, perhaps with a version behind a slash; empty where it is none. */
export function readName(text: unknown): string {
  const [name = ''] = typeof text === 'string' ? text.split('/') : [];
  return NAME.test(name) ? name.toLowerCase() : '';
}

/** The words of User-Agent, by the name of the package; diagnostics have the name of the package. */
const AGENTS: Readonly<Record<string, readonly string[]>> = {
  'android-client-sdk': ['androidclient'],
  'apex-server-sdk': ['apexclient'],
  'cpp-client-sdk': ['cppclient'],
  'cpp-server-sdk': ['cppserver', 'cserverclient'],
  'dotnet-client-sdk': ['dotnetclientside', 'xamarinclient'],
  'dotnet-server-sdk': ['dotnetclient'],
  'electron-client-sdk': ['electronclient'],
  'erlang-server-sdk': ['erlangclient'],
  'flutter-client-sdk': ['flutterclient'],
  'go-server-sdk': ['goclient'],
  'haskell-server-sdk': ['haskellserver', 'haskellserverclient'],
  'ios-client-sdk': ['ios', 'iosclient'],
  'java-server-sdk': ['javaclient'],
  'js-client-sdk': ['jsclient'],
  'lua-server-sdk': ['luaclient', 'lua-server-sdk'],
  'node-client-sdk': ['nodeclientside', 'nodejsclientside'],
  'node-server-sdk': ['nodejsclient'],
  'php-server-sdk': ['phpclient'],
  'python-server-sdk': ['pythonclient'],
  'react-native-client-sdk': ['reactnativeclient'],
  'roku-client-sdk': ['rokuclient'],
  'ruby-server-sdk': ['rubyclient'],
  'rust-server-sdk': ['rustserver', 'rustserverclient'],
};

/** All names under which the SDK may be stored. */
export function storedNamesOf(name: string): string[] {
  const asked = name.toLowerCase();
  return [asked, ...(Object.hasOwn(AGENTS, asked) ? AGENTS[asked]! : [])];
}
