// After a flag was created: a program that asks for it, and the guarded environments where it is to be turned on.
import { lazy, Suspense, useState } from 'react';
import { hasPage } from '../../app/pages.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CommandTabs } from '../../ui/code-block.tsx';
import { TextLink } from '../../ui/link.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Badge, Key } from '../../ui/status.tsx';
import { offVariation, TYPE_ICONS, typeName, typeOf, type Flag } from '../flag.ts';
import { useEnvironments, useFlag } from '../queries.ts';
import { WORDS as FLAG_WORDS } from '../words.ts';
import { flagSnippet, type SnippetClient } from './flag-snippets.ts';
import { NEW_FLAG_WORDS as WORDS } from './new-flag-words.ts';

const SaveDialog = lazy(async () => ({ default: (await import('../save/save-dialog.tsx')).SaveDialog }));

const CLIENTS: readonly SnippetClient[] = ['node', 'browser', 'openfeature', 'curl'];

export interface CreatedFlagProps {
  project: string;
  flag: string;
  /** Keys of environments that it is still to be turned on in. */
  waiting: readonly string[];
  /** The address of the form. */
  form: string;
}

export function CreatedFlag({ project, flag: key, waiting, form }: CreatedFlagProps) {
  const { data: flag, error, refetch } = useFlag(project, key);
  if (flag === undefined)
    return error === null ? (
      <Skeleton rows={6} />
    ) : (
      <ReadProblem error={error} onRetry={() => void refetch()} />
    );
  const list = `/flags/${encodeURIComponent(project)}`;
  return (
    <div className="stack stack--24">
      <PageHead
        title={WORDS.made(flag.name)}
        badge={<Badge icon={TYPE_ICONS[typeOf(flag)]}>{typeName(flag)}</Badge>}
        meta={<Key copyLabel={FLAG_WORDS.copyKey(key)}>{key}</Key>}
        actions={
          <>
            <ButtonLink href={list}>{WORDS.toList}</ButtonLink>
            <ButtonLink href={form} icon="plus">
              {WORDS.another}
            </ButtonLink>
            <ButtonLink href={`${list}/${encodeURIComponent(key)}`} tone="primary">
              {WORDS.openFlag}
            </ButtonLink>
          </>
        }
      />
      <Waiting project={project} flag={flag} keys={waiting} />
      <Card title={WORDS.use}>
        <Snippets project={project} flag={flag} />
      </Card>
    </div>
  );
}

function Snippets({ project, flag }: { project: string; flag: Flag }) {
  const [chosen, setChosen] = useState<string>('node');
  const [config] = Object.values(flag.environments ?? {});
  const off = (config && offVariation(config)) ?? flag.variations.length - 1;
  const environments = `/environments/${encodeURIComponent(project)}`;
  return (
    <div className="stack">
      <p className="t13">{WORDS.madeText}</p>
      <CommandTabs
        label={WORDS.client}
        chosen={chosen}
        onChoose={setChosen}
        items={CLIENTS.map((id) => ({
          id,
          label: WORDS.clients[id],
          text: flagSnippet(id, flag, off),
        }))}
      />
      {hasPage(environments) && (
        <p className="t13 muted">
          {WORDS.keysHelp} <TextLink href={environments}>{WORDS.environments}</TextLink>
        </p>
      )}
    </div>
  );
}

/** Until it is on there. */
function Waiting({ project, flag, keys }: { project: string; flag: Flag; keys: readonly string[] }) {
  const [opened, setOpened] = useState<string>();
  const { data } = useEnvironments(project);
  const { key, name, version } = flag;
  const left = keys.filter(
    (one) => flag.environments?.[one]?.on === false && data?.items.some((known) => known.key === one),
  );
  if (left.length === 0) return null;
  return (
    <Card title={WORDS.stillOff}>
      <div className="stack">
        <p className="t13">{WORDS.stillOffText}</p>
        <div className="row row--wrap">
          {left.map((environment) => (
            <Button key={environment} tone="production" icon="shield" onClick={() => setOpened(environment)}>
              {WORDS.turnOnIn(environment)}
            </Button>
          ))}
        </div>
      </div>
      {opened !== undefined && (
        <Suspense>
          <SaveDialog
            title={WORDS.turnOnTitle(name, opened)}
            change={{
              project,
              environment: opened,
              resource: { kind: 'flag', key, name },
              instructions: [{ kind: 'turnFlagOn' }],
              version,
            }}
            onClose={() => setOpened(undefined)}
            onSaved={() => setOpened(undefined)}
          />
        </Suspense>
      )}
    </Card>
  );
}
