// The end of a flag: deprecated, archived, restored, deleted. Deleting says what else breaks, and asks for its key.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { path, type Call } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { useFlagPermissions } from '../permissions.ts';
import { useCodeReferences } from '../code/code-queries.ts';
import { SaveDialog } from '../save/save-dialog.tsx';
import type { FlagDetail } from './flag-detail.ts';
import { useDependents, type DependentFlag } from './settings-queries.ts';
import { LIFE_WORDS as WORDS } from './settings-words.ts';

type LifeInstruction = keyof typeof WORDS.saveTitles;

interface LifecycleProps {
  project: string;
  flag: FlagDetail;
}

export function LifecycleCard({ project, flag }: LifecycleProps) {
  const [kind, setKind] = useState<LifeInstruction>();
  const [isDeleting, setDeleting] = useState(false);
  const dependents = useDependents(project, flag.key).data?.items.length ?? 0;
  const { archived, deprecated } = flag;
  const { may } = useFlagPermissions(project, flag.key);
  if (!may('updateDeprecated', 'updateGlobalArchived', 'deleteFlag')) return null;
  return (
    <Card title={WORDS.title} icon="warn">
      <ul className="danger-rows">
        {!archived && may('updateDeprecated') && (
          <li>
            <span className="grow t13">{WORDS.deprecateText}</span>
            <Button onClick={() => setKind(deprecated ? 'restoreDeprecatedFlag' : 'deprecateFlag')}>
              {deprecated ? WORDS.undeprecate : WORDS.deprecate}
            </Button>
          </li>
        )}
        {may('updateGlobalArchived') && (
          <li>
            <span className="grow t13">{archived ? WORDS.restoreText : WORDS.archiveText}</span>
            <Button
              disabledReason={!archived && dependents > 0 ? WORDS.archiveBlocked(dependents) : undefined}
              onClick={() => setKind(archived ? 'restoreFlag' : 'archiveFlag')}
            >
              {archived ? WORDS.restore : WORDS.archive}
            </Button>
          </li>
        )}
        {may('deleteFlag') && (
          <li>
            <span className="grow t13">{WORDS.deleteText}</span>
            <Button tone="danger" icon="trash" onClick={() => setDeleting(true)}>
              {WORDS.delete}
            </Button>
          </li>
        )}
      </ul>
      {kind !== undefined && (
        <SaveDialog
          title={WORDS.saveTitles[kind]}
          change={{
            project,
            resource: { kind: 'flag', key: flag.key, name: flag.name },
            instructions: [{ kind }],
            version: flag.version,
          }}
          onClose={() => setKind(undefined)}
          onSaved={() => setKind(undefined)}
        />
      )}
      {isDeleting && <DeleteFlagDialog project={project} flag={flag} onClose={() => setDeleting(false)} />}
    </Card>
  );
}

function DeleteFlagDialog({ project, flag, onClose }: LifecycleProps & { onClose: () => void }) {
  const { key, name, environments = {} } = flag;
  const [, navigate] = useLocation();
  const dependents = useDependents(project, key);
  const code = useCodeReferences(project, key);
  const call: Call = { api: 'flags', method: 'DELETE', path: path`/flags/${project}/${key}` };
  useSayDraft(call);
  const remove = useChange<Call>((one) => one, ['flag']);
  const found = dependents.data?.items ?? [];
  const on = Object.entries(environments).flatMap(([environment, config]) =>
    config.on ? [environment] : [],
  );
  const isReading = dependents.isPending || code.isPending;
  return (
    <ConfirmDialog
      title={WORDS.deleteTitle(name)}
      tone="danger"
      confirmLabel={WORDS.deleteConfirm}
      typeToConfirm={key}
      isBusy={remove.isPending}
      error={remove.error ?? undefined}
      disabledReason={isReading ? WORDS.reading : found.length > 0 ? WORDS.blocked : undefined}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(call, {
          onSuccess: () => {
            navigate(`/flags/${encodeURIComponent(project)}`);
            toast({ text: WORDS.deleted(name) });
          },
        })
      }
    >
      <p>{WORDS.deleteText}</p>
      <p>{WORDS.breaks}</p>
      {isReading ? (
        <Skeleton lines={3} />
      ) : (
        <>
          <Dependents project={project} items={found} isUnknown={dependents.data === undefined} />
          <ul className="plain-list">
            <li>{on.length === 0 ? WORDS.off : WORDS.on(on.join(', '))}</li>
            {code.data !== undefined && <li>{codeText(code.data.items)}</li>}
          </ul>
        </>
      )}
    </ConfirmDialog>
  );
}

function codeText(repositories: { branches?: { references?: unknown[] }[] }[]): string {
  const files = repositories
    .flatMap(({ branches = [] }) => branches)
    .reduce((sum, { references = [] }) => sum + references.length, 0);
  return files === 0 ? WORDS.noCode : WORDS.code(files);
}

interface DependentsProps {
  project: string;
  items: readonly DependentFlag[];
  isUnknown: boolean;
}

function Dependents({ project, items, isUnknown }: DependentsProps) {
  if (isUnknown) return <p className="muted">{WORDS.dependentsUnknown}</p>;
  if (items.length === 0) return <p>{WORDS.noDependents}</p>;
  return (
    <Banner tone="warn">
      {WORDS.dependents}
      <ul className="plain-list">
        {items.map(({ key, name, environments = [] }) => (
          <li key={key}>
            <TextLink href={`/flags/${encodeURIComponent(project)}/${encodeURIComponent(key)}`}>
              {name}
            </TextLink>{' '}
            <code>{key}</code>
            {environments.length > 0 &&
              ` ${WORDS.inEnvironment} ${environments.map((one) => one.key).join(', ')}`}
          </li>
        ))}
      </ul>
    </Banner>
  );
}
