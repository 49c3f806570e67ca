// The environment of a git process that talks to another server: only by HTTP, only through the egress proxy.
import type { EgressProxy } from './egress-proxy.ts';

export interface GitEgress {
  url: URL;
  /** The value of the header, for this host alone. */
  authorization?: string | undefined;
  /** Absent for a server that is trusted, which is called directly. */
  proxy?: Pick<EgressProxy, 'url'>;
  /** Further settings of git. */
  config?: Record<string, string>;
}

/** Credentials are in the environment, because the arguments of a process are visible to all users of the machine. */
export function gitEgressEnvironment({ url, authorization, proxy, config = {} }: GitEgress) {
  const { SSL_CERT_FILE, SSL_CERT_DIR, GIT_SSL_CAINFO } = process.env;
  const settings = Object.entries({
    'http.followRedirects': 'true',
    'http.proxyAuthMethod': 'basic',
    'http.lowSpeedLimit': '1000',
    'http.lowSpeedTime': '60',
    'transfer.fsckObjects': 'true',
    ...config,
    ...(authorization !== undefined && {
      [`http.${url.origin}/.extraHeader`]: `Authorization: ${authorization}`,
    }),
  });
  return {
    GIT_ALLOW_PROTOCOL: 'https:http',
    GIT_PROTOCOL_FROM_USER: '0',
    ...(proxy !== undefined && {
      http_proxy: proxy.url,
      https_proxy: proxy.url,
      all_proxy: proxy.url,
      no_proxy: '',
    }),
    ...(SSL_CERT_FILE !== undefined && { SSL_CERT_FILE }),
    ...(SSL_CERT_DIR !== undefined && { SSL_CERT_DIR }),
    ...(GIT_SSL_CAINFO !== undefined && { GIT_SSL_CAINFO }),
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}
