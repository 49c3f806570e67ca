// One change of a flag: who and why, the sentences, the flag before and after, and a button that goes back to before it.
import { useState } from 'react';
import { ChangeComment, ChangeDescription } from '../../lib/change-description.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { SidePanel } from '../../lib/side-panel.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { KeyValues } from '../../ui/card.tsx';
import { JsonDiff } from '../../ui/json-diff.tsx';
import { TextLink } from '../../ui/link.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import type { Flag } from '../flag.ts';
import {
  environmentsOf,
  flagVersionOf,
  isAboutWhole,
  isFlagChange,
  readableVersion,
} from './flag-version.ts';
import { authorOf, wayOf, Where } from './history-columns.tsx';
import type { HistoryDetail, HistoryEntry } from './entry.ts';
import { useHistoryEntry } from './history-queries.ts';
import { HISTORY } from './history-words.ts';
import { RevertButton } from './revert-button.tsx';

const WORDS = HISTORY.entry;

interface HistoryEntryPanelProps {
  id: string;
  project: string;
  flag: Flag;
  /** All that were read, newest first: those above it came later. */
  entries: readonly HistoryEntry[];
  onClose: () => void;
}

export function HistoryEntryPanel({ id, project, flag, entries, onClose }: HistoryEntryPanelProps) {
  const { data: entry, error, refetch } = useHistoryEntry(id);
  const author = entry && authorOf(entry);
  return (
    <SidePanel
      mark={author && <Avatar name={author.name} kind={author.kind} isDecorative />}
      title={author === undefined ? WORDS.title : `${author.name} ${entry!.titleVerb} ${entry!.name}`}
      text={entry && <Time at={entry.date} mode="absolute" />}
      onClose={onClose}
      footer={entry && <Reverts project={project} flag={flag} entry={entry} entries={entries} />}
    >
      {entry !== undefined ? (
        <EntryContent entry={entry} />
      ) : error === null ? (
        <section>
          <Skeleton lines={6} />
        </section>
      ) : error.status === 404 ? (
        <EmptyState icon="history" title={WORDS.gone} isPlain />
      ) : (
        <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
      )}
    </SidePanel>
  );
}

function EntryContent({ entry }: { entry: HistoryDetail }) {
  const { _id, description, comment = '', previousVersion, currentVersion } = entry;
  // Planned changes and requests are shown as they are.
  const [before, after] = useState(() => [previousVersion, currentVersion].map(readableVersion))[0];
  const version = flagVersionOf(currentVersion)?._version;
  return (
    <>
      <section>
        <KeyValues
          termWidth={72}
          items={[
            [WORDS.where, <Where key="where" entry={entry} />],
            [WORDS.with, wayOf(entry)],
            ...(version === undefined ? [] : [[WORDS.version, String(version)] as [string, string]]),
          ]}
        />
        <TextLink href={`/account/audit?entry=${encodeURIComponent(_id)}`}>{WORDS.audit}</TextLink>
      </section>
      {comment !== '' && (
        <section>
          <h3>{WORDS.comment}</h3>
          <ChangeComment text={comment} />
        </section>
      )}
      {description !== '' && (
        <section>
          <h3>{WORDS.changed}</h3>
          <ChangeDescription text={description} />
        </section>
      )}
      <section>
        <h3>{WORDS.difference}</h3>
        {before === undefined && after === undefined ? (
          <p className="t13 muted">{WORDS.noDifference}</p>
        ) : (
          <JsonDiff before={before} after={after} label={WORDS.difference} />
        )}
      </section>
    </>
  );
}

interface RevertsProps {
  project: string;
  flag: Flag;
  entry: HistoryDetail;
  entries: readonly HistoryEntry[];
}

/** A button for each environment that was changed, or one for the flag as a whole. */
function Reverts({ project, flag, entry, entries }: RevertsProps) {
  const earlier = flagVersionOf(entry.previousVersion);
  const changed = flagVersionOf(entry.currentVersion);
  if (earlier === undefined || changed === undefined) return null;
  const keys = environmentsOf(entry);
  const at = entries.findIndex(({ _id }) => _id === entry._id);
  const later = at === -1 ? [] : entries.slice(0, at);
  const targets = isAboutWhole(entry) ? [...keys, undefined] : keys;
  return (
    <>
      {targets.map((key) => (
        <RevertButton
          key={key ?? ''}
          project={project}
          flag={flag}
          earlier={earlier}
          later={changed}
          environment={key}
          laterCount={later.filter((one) => isOf(one, key)).length}
        />
      ))}
    </>
  );
}

function isOf(entry: HistoryEntry, environment: string | undefined): boolean {
  if (!isFlagChange(entry)) return false;
  const keys = environmentsOf(entry);
  return environment === undefined ? isAboutWhole(entry) : keys.includes(environment);
}
