// What installations may do: what their accounts agreed to, as far as the app still asks for it.
import type { HostApp, Installation } from './app.ts';
import {
  commonPermissions,
  excessPermission,
  lostLevels,
  withoutLevels,
  type AppPermissions,
} from './permissions.ts';

export interface AppRights {
  permissions: AppPermissions;
  events: readonly string[];
}

type Asked = Pick<HostApp, 'permissions' | 'events' | 'lostRights'>;
type Agreed = Pick<Installation, 'permissions' | 'events' | 'rightsRevision'>;

/**
 * The app after a change of what it asks for. Installations lose at once what it gives up, however many there are: it
 * remembers when it did so last. What it asks for again later needs a new consent.
 */
export function withRights(app: HostApp, { permissions, events }: AppRights): HostApp {
  const revision = app.rightsRevision + 1;
  const lost = [
    ...lostLevels(app.permissions, permissions),
    ...app.events.filter((name) => !events.includes(name)).map(eventRight),
  ];
  const lostRights = { ...app.lostRights, ...Object.fromEntries(lost.map((right) => [right, revision])) };
  return { ...app, permissions, events, rightsRevision: revision, lostRights };
}

export function heldRights(app: Asked, installation: Agreed): AppRights {
  const permissions = withoutLevels(commonPermissions(app.permissions, installation.permissions), (right) =>
    isLost(app, installation, right),
  );
  return { permissions, events: heldEvents(app, installation) };
}

export function heldEvents(app: Asked, installation: Pick<Agreed, 'events' | 'rightsRevision'>): string[] {
  return installation.events.filter(
    (name) => app.events.includes(name) && !isLost(app, installation, eventRight(name)),
  );
}

/** Whether the app asks for something that the account has not agreed to. */
export function asksForMore(app: Asked, installation: Agreed): boolean {
  const held = heldRights(app, installation);
  return (
    excessPermission(app.permissions, held.permissions) !== undefined ||
    app.events.some((name) => !held.events.includes(name))
  );
}

/** Since the account has agreed. */
function isLost(app: Asked, { rightsRevision }: Pick<Agreed, 'rightsRevision'>, right: string): boolean {
  return (app.lostRights[right] ?? 0) > rightsRevision;
}

function eventRight(name: string): string {
  return `event:${name}`;
}
