// What was done to a flag lately, in all environments.
import { ReadProblem } from '../lib/read-problem.tsx';
import { TextLink } from '../ui/link.tsx';
import { Skeleton } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { Timeline, type TimelineItem } from '../ui/timeline.tsx';
import { personName } from './flag.ts';
import { useFlagHistory, type AuditEntry } from './queries.ts';
import { WORDS } from './words.ts';

export function FlagHistory({ project, flag }: { project: string; flag: string }) {
  const { data, error, refetch } = useFlagHistory(project, flag);
  if (error !== null && data === undefined)
    return <ReadProblem error={error} onRetry={() => void refetch()} isPlain />;
  if (data === undefined) return <Skeleton lines={4} />;
  if (data.items.length === 0) return <p className="muted">{WORDS.noHistory}</p>;
  return <Timeline label={WORDS.history} items={data.items.map(itemOf)} />;
}

function itemOf(entry: AuditEntry): TimelineItem {
  const { _id, date, titleVerb, comment, token } = entry;
  const lines = linesOf(entry.description);
  const by = authorOf(entry);
  return {
    id: _id,
    by,
    content:
      lines.length === 0 ? (
        <>
          <b>{by.name}</b> {titleVerb}
        </>
      ) : (
        <>
          <b>{by.name}</b>
          <ul className="history-lines">
            {lines.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </>
      ),
    comment,
    meta: (
      <>
        <Time at={date} />
        {token !== undefined && !token.serviceToken && ` · ${WORDS.byToken(nameOfToken(token))}`}
        {' · '}
        <TextLink href={`/account/audit?entry=${encodeURIComponent(_id)}`}>{WORDS.auditEntry}</TextLink>
      </>
    ),
  };
}

/** A service token acts for itself, and the server where nobody did. */
function authorOf({ member, token }: AuditEntry): { name: string; kind: 'person' | 'machine' } {
  if (token?.serviceToken === true) return { name: nameOfToken(token), kind: 'machine' };
  if (member === undefined) return { name: WORDS.server, kind: 'machine' };
  return { name: personName(member), kind: 'person' };
}

function nameOfToken({ name, ending }: { name: string; ending: string }): string {
  return name === '' ? `…${ending}` : name;
}

/** The marks of Markdown go: what people chose is shown as it is. */
function linesOf(description: string): string[] {
  return description
    .split('\n')
    .map((line) => line.replace(/^\* /, '').replaceAll('**', '').replaceAll('`', ''))
    .filter((line) => line !== '');
}
