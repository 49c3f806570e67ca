// A change in the activity of all products: who did what, as a sentence with a link to the thing.
import { TextLink } from '../ui/link.tsx';
import { Time } from '../ui/time.tsx';
import type { TimelineItem } from '../ui/timeline.tsx';
import { environmentOf, hrefOfResource } from './resource-links.ts';
import type { Activity } from '../api/types/signalbox.ts';

export type Product = Activity['product'];
export const PRODUCTS: readonly Product[] = ['flags', 'actors', 'code', 'account'];

export const ACTIVITY_WORDS = {
  products: { flags: 'Flags', actors: 'Actors', code: 'Code', account: 'Account' },
  you: 'You',
  server: 'The server',
  in: 'in',
  byToken: (name: string) => `with the token ${name}`,
  audit: 'Audit entry',
} as const;

export interface ActivityActor {
  name: string;
  kind: 'person' | 'machine';
}

/** A service token acts for itself, and the server where nobody did. */
export function actorOf({ member, token }: Activity): ActivityActor {
  if (token?.isService === true) return { name: nameOfToken(token), kind: 'machine' };
  if (member === undefined) return { name: ACTIVITY_WORDS.server, kind: 'machine' };
  return { name: member.name ?? member.email, kind: 'person' };
}

function nameOfToken({ name, ending }: { name: string; ending: string }): string {
  return name === '' ? `…${ending}` : name;
}

const GIST_ID = /^[0-9a-f]{32}$/;

/** What was changed, in a sentence: of a gist, the beginning of its id is enough. */
export function nameOfChanged({ kind, name }: Pick<Activity, 'kind' | 'name'>): string {
  return kind === 'gist' && GIST_ID.test(name) ? name.slice(0, 7) : name;
}

export interface ActivityItemProps {
  entry: Activity;
  /** The member who reads: their own changes begin with "You". */
  ownId?: string | undefined;
  /** Without the person, where they stand in a cell of their own. */
  hasActor?: boolean | undefined;
}

/** The sentence: who, what was done, to what, and in which environment. */
export function ActivityItem({ entry, ownId, hasActor = true }: ActivityItemProps) {
  const { name, verb, resource, action, member, token } = entry;
  const isOwn = ownId !== undefined && member?.id === ownId && token?.isService !== true;
  const href = /^(deleted|removed) /.test(verb) ? undefined : hrefOfResource(resource, name);
  const environment = environmentOf(resource, action);
  const shown = nameOfChanged(entry);
  return (
    <>
      {hasActor && (
        <>
          <b>{isOwn ? ACTIVITY_WORDS.you : actorOf(entry).name}</b>{' '}
        </>
      )}
      {verb}{' '}
      {href === undefined ? <span className="w5">{shown}</span> : <TextLink href={href}>{shown}</TextLink>}
      {environment !== undefined && ` ${ACTIVITY_WORDS.in} ${environment}`}
    </>
  );
}

/** For a `Timeline`: below the sentence the time, the token, and a link to the entry. */
export function timelineItemOf(entry: Activity, ownId?: string): TimelineItem {
  const { id, at, comment, token } = entry;
  return {
    id,
    by: actorOf(entry),
    content: <ActivityItem entry={entry} ownId={ownId} />,
    comment,
    meta: (
      <>
        <Time at={at} />
        {token !== undefined && !token.isService && (
          <>
            {' · '}
            {ACTIVITY_WORDS.byToken(nameOfToken(token))}
          </>
        )}
        {' · '}
        <TextLink href={`/account/audit?entry=${encodeURIComponent(id)}`}>{ACTIVITY_WORDS.audit}</TextLink>
      </>
    ),
  };
}
