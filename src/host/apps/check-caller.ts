// Which callers a route is for: programs need what the table says, and the routes of apps need programs.
import type { RequestContext } from '../../kernel/http/request-context.ts';
import { Failure } from '../../kernel/failure.ts';
import { isOpen, type RouteShape } from '../../kernel/http/route.ts';
import { undecodable } from './app-tokens.ts';
import { includesLevel } from './permissions.ts';
import { appOf, callerLacking, installationOf, notAccessible } from './program.ts';
import { findRouteNeed, type RouteNeed } from './route-permissions.ts';

const needs = new WeakMap<RouteShape, RouteNeed>();

function needOf(shape: RouteShape): RouteNeed {
  let need = needs.get(shape);
  if (need === undefined) needs.set(shape, (need = findRouteNeed(shape) ?? 'person'));
  return need;
}

export function checkAppCaller(facts: RequestContext): void {
  const { shape, caller } = facts;
  if (shape === undefined || caller === undefined) return;
  const need = needOf(shape);
  const app = appOf(caller);
  if (need === 'app') {
    if (app === undefined) throw undecodable();
    return;
  }
  if (app !== undefined) {
    if (need !== 'open' || !isOpen(shape)) throw notAccessible();
    return;
  }
  const installation = installationOf(caller);
  if (installation === undefined) {
    if (need === 'installation' && caller.kind !== 'anonymous')
      throw new Failure('denied', 'You must authenticate with an installation access token.');
    return;
  }
  if (need === 'open' || need === 'installation') return;
  if (need === 'person') throw notAccessible();
  const level = isPushBegin(facts) ? 'write' : need.level;
  if (includesLevel(installation.permissions[need.permission], level)) return;
  const lacks = `${need.permission}:${level}`;
  if (!isOpen(shape) || caller.kind === 'anonymous') throw notAccessible(lacks);
  facts.caller = callerLacking(caller, lacks);
}

function isPushBegin({ shape, url }: RequestContext): boolean {
  return shape!.path.endsWith('/info/refs') && url.includes('git-receive-pack');
}
