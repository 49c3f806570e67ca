// The builds of an Actor, newest first, and a button for another.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { ListFoot } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { RunStatusView } from '../../lib/run-status.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { SelectInput } from '../../ui/input.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { hrefOfActor, type ActorShort } from '../queries.ts';
import { RunDuration } from '../run-cells.tsx';
import { originWord } from '../words.ts';
import { useBuilds, useStartBuild, type ActorDetail, type Build } from './actor-queries.ts';
import { ACTOR_WORDS } from './actor-words.ts';

export function hrefOfBuild(actor: Pick<ActorShort, 'username' | 'name'>, id: string): string {
  return `${hrefOfActor(actor, 'builds')}/${encodeURIComponent(id)}`;
}

export function BuildsTab({ actor, isOwner }: { actor: ActorDetail; isOwner: boolean }) {
  const list = useBuilds(actor.id);
  const { title, text } = ACTOR_WORDS.noBuilds;
  return (
    <div className="stack">
      {isOwner && <BuildNow actor={actor} />}
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      {list.error !== null ? (
        <ReadProblem error={list.error} onRetry={list.retry} />
      ) : (
        <Table
          label={ACTOR_WORDS.buildTable}
          columns={columnsOf(actor)}
          rows={list.rows}
          rowKey={({ id }) => id}
          rowHref={({ id }) => hrefOfBuild(actor, id)}
          isLoading={list.isLoading}
          rowCount={list.total}
          emptyState={<EmptyState icon="actor" title={title} text={text} />}
          footer={<ListFoot list={list} nouns={ACTOR_WORDS.buildNouns} />}
        />
      )}
    </div>
  );
}

function columnsOf({ taggedBuilds }: ActorDetail): TableColumn<Build>[] {
  const tagsOf = (id: string) =>
    Object.entries(taggedBuilds)
      .filter(([, { buildId }]) => buildId === id)
      .map(([tag]) => tag);
  return [
    {
      id: 'number',
      head: ACTOR_WORDS.build,
      isMain: true,
      cell: ({ buildNumber }) => <span className="mono">{buildNumber}</span>,
    },
    { id: 'status', head: ACTOR_WORDS.status, cell: ({ status }) => <RunStatusView status={status} /> },
    {
      id: 'tags',
      head: ACTOR_WORDS.tags,
      cell: ({ id }) => (
        <span className="row row--4">
          {tagsOf(id).map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </span>
      ),
    },
    { id: 'started', head: ACTOR_WORDS.started, cell: ({ startedAt }) => <Time at={startedAt} /> },
    {
      id: 'duration',
      head: ACTOR_WORDS.duration,
      align: 'end',
      cell: (build) => <RunDuration run={build} />,
    },
    {
      id: 'origin',
      head: ACTOR_WORDS.origin,
      priority: 'mid',
      cell: ({ meta }) => <span className="muted">{originWord(meta.origin)}</span>,
    },
  ];
}

function BuildNow({ actor }: { actor: ActorDetail }) {
  const versions = actor.versions.map(({ versionNumber }) => versionNumber);
  const [version, setVersion] = useState(versions.at(-1) ?? '');
  const start = useStartBuild(actor.id);
  const [, navigate] = useLocation();
  if (versions.length === 0) return null;
  return (
    <>
      {start.error !== null && <Banner tone="bad">{start.error.message}</Banner>}
      <div className="row">
        {versions.length > 1 && (
          <SelectInput
            className="in--auto"
            aria-label={ACTOR_WORDS.version}
            value={version}
            onValue={setVersion}
            options={versions.map((one) => ({ value: one, label: `${ACTOR_WORDS.version} ${one}` }))}
          />
        )}
        <Button
          tone="primary"
          icon="bolt"
          isBusy={start.isPending}
          onClick={() =>
            start.mutate(version, { onSuccess: ({ data }) => navigate(hrefOfBuild(actor, data.id)) })
          }
        >
          {ACTOR_WORDS.buildNow}
        </Button>
      </div>
    </>
  );
}
