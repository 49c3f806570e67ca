// The requirements of an operation on its caller: the accepted authentication and the needed permission.
import type { Document } from './document.ts';
import type { Operation } from './operations.ts';

export interface AccessRequirements {
  /** Alternatives. A scheme is identified by what the caller must do, not by its name in the document. */
  ways: ReadonlySet<string>;
  permission?: string;
}

const ANYONE = 'anyone';

export function readAccess(document: Document, operation: Operation): AccessRequirements {
  const security = document.list(operation.detail['security'] ?? document.root['security'], '"security"');
  const alternatives = security.map((value) => {
    const requirements = Object.entries(document.record(value, 'a security requirement')).map(
      ([name, scopes]) => {
        const names = document.list(scopes, `the scopes of "${name}"`).map(String).sort();
        return describeScheme(document, name) + (names.length > 0 ? ` [${names.join(', ')}]` : '');
      },
    );
    return requirements.sort().join(' with ') || ANYONE;
  });
  const ways = new Set(alternatives.length === 0 ? [ANYONE] : alternatives);
  const permission = operation.detail['x-permission'];
  return permission === undefined
    ? { ways }
    : { ways, permission: document.text(permission, '"x-permission"') };
}

/** An additional alternative does not affect callers who use another; the first one does, as it adds a requirement. */
export function changesAccess(older: AccessRequirements, newer: AccessRequirements): boolean {
  if (older.permission !== newer.permission) return true;
  if (newer.ways.has(ANYONE) !== older.ways.has(ANYONE)) return true;
  return [...older.ways].some((way) => !newer.ways.has(way));
}

/** The text does not depend on the order. */
export function describeAccess({ ways, permission }: AccessRequirements): string {
  const access = [...ways].sort().join(' or ');
  return permission === undefined ? access : `${access}, permission ${permission}`;
}

function describeScheme(document: Document, name: string): string {
  const components = document.record(document.root['components'], '"components"');
  const schemes = document.record(components['securitySchemes'], '"securitySchemes"');
  if (!Object.hasOwn(schemes, name)) return name;
  const scheme = document.resolve(schemes[name], `the security scheme "${name}"`);
  const word = (key: string) => (typeof scheme[key] === 'string' ? scheme[key] : '');
  switch (scheme['type']) {
    case 'apiKey':
      return `key in ${word('in')} ${word('in') === 'header' ? word('name').toLowerCase() : word('name')}`;
    case 'http':
      return `HTTP ${word('scheme').toLowerCase()}`;
    case 'openIdConnect':
      return `OpenID Connect ${word('openIdConnectUrl')}`;
    case 'oauth2':
      return `OAuth 2 ${describeFlows(document, scheme['flows'])}`;
    default:
      return word('type') || name;
  }
}

function describeFlows(document: Document, value: unknown): string {
  const flows = Object.entries(document.record(value, 'the flows of a security scheme'));
  const texts = flows.map(([kind, flow]) => {
    const { authorizationUrl, tokenUrl } = document.record(flow, `the flow "${kind}"`);
    return [kind, authorizationUrl, tokenUrl].filter((part) => typeof part === 'string').join(' ');
  });
  return `(${texts.sort().join('; ')})`;
}
