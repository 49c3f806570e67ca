// One segment in one environment: its rules, who is included and excluded, and the flags that use it.
import '../../styles/segments.css';
import { useState } from 'react';
import { useParams } from 'wouter';
import { usePageInfo } from '../../app/page-info.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState } from '../../lib/search-state.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { formatCount } from '../../ui/format.ts';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Badge, Key } from '../../ui/status.tsx';
import { presentEnvironment } from '../present-environment.ts';
import { useSegmentPermissions, type SegmentAction } from '../permissions.ts';
import { useEnvironments, useProjects, type Environment } from '../queries.ts';
import { SaveDialog } from '../save/save-dialog.tsx';
import { BigSegment } from './big-segment.tsx';
import { DeleteSegment } from './delete-segment.tsx';
import { SegmentDetails } from './segment-details.tsx';
import { countChangedKeys, MAX_CHANGED_KEYS } from './segment-instructions.ts';
import { SegmentKeys } from './segment-keys.tsx';
import { SegmentRules, findRuleProblem } from './segment-rules.tsx';
import { SegmentUses } from './segment-uses.tsx';
import type { Segment, SegmentEdit } from './segment.ts';
import { useSegment, type SegmentPlace } from './segments-queries.ts';
import { SEGMENT, SEGMENTS } from './segments-words.ts';
import { useSegmentDraft } from './use-segment-draft.ts';

export default function SegmentPage() {
  const { project, segment: key } = useParams<{ project: string; segment: string }>();
  const list = `/segments/${encodeURIComponent(project)}`;
  const page = `${list}/${encodeURIComponent(key)}`;
  const search = useSearchState(page);
  const environments = useEnvironments(project);
  const projectName = useProjects().data?.items.find((one) => one.key === project)?.name ?? project;
  const known = environments.data?.items ?? [];
  const environment = presentEnvironment(known, project, search.get('env'))?.key;
  const place = { project, environment: environment ?? '', key };
  const { data: segment, error, refetch } = useSegment(place, environment !== undefined);
  usePageInfo([
    { label: SEGMENTS.title, href: '/segments' },
    {
      label: projectName,
      href: environment === undefined ? list : `${list}?env=${encodeURIComponent(environment)}`,
    },
    { label: segment?.name ?? key, href: page, copy: key },
  ]);
  const problem = environments.error ?? error;
  if (segment === undefined)
    return (
      <main id="main" className="page" tabIndex={-1}>
        <PageHead title={key} />
        {problem === null ? (
          <Skeleton lines={8} />
        ) : error?.status === 404 && environment !== undefined ? (
          <EmptyState
            icon="users"
            title={SEGMENT.absent.title(key, environment)}
            text={SEGMENT.absent.text}
            action={
              <ButtonLink href={`${list}?env=${encodeURIComponent(environment)}`}>
                {SEGMENT.absent.action(environment)}
              </ButtonLink>
            }
          />
        ) : (
          <ReadProblem
            error={problem}
            onRetry={() => void (environments.error === null ? refetch() : environments.refetch())}
          />
        )}
      </main>
    );
  return (
    <SegmentEditor
      key={environment}
      place={place}
      segment={segment}
      environment={known.find((one) => one.key === environment)}
    />
  );
}

interface SegmentEditorProps {
  place: SegmentPlace;
  segment: Segment;
  environment: Environment | undefined;
}

function SegmentEditor({ place, segment, environment }: SegmentEditorProps) {
  const { project, key } = place;
  const draft = useSegmentDraft(`${project}/${place.environment}/${key}`, segment);
  const [isSaving, setSaving] = useState(false);
  const { edited, instructions } = draft;
  const { isKnown, may } = useSegmentPermissions(project, place.environment, key);
  // Everything is possible until the server has answered.
  const isLocked = (action: SegmentAction) => isKnown && !may(action);
  const resource = { kind: 'segment' as const, key, name: segment.name };
  return (
    <main id="main" className="page segment" tabIndex={-1}>
      <PageHead
        title={segment.name}
        badge={segment.unbounded && <Badge icon="disk">{SEGMENT.big}</Badge>}
        meta={
          <>
            <Key copyLabel={SEGMENTS.copyKey(key)}>{key}</Key>
            <span>{SEGMENT.version(segment.version)}</span>
            <span>{segment.description ?? SEGMENT.noDescription}</span>
          </>
        }
        actions={<DeleteSegment place={place} segment={segment} onDeleted={draft.forget} />}
      />
      {segment._importInProgress === true && <Banner>{SEGMENT.importing}</Banner>}
      {draft.isOutdated && <Banner tone="warn">{SEGMENT.newer}</Banner>}
      <div className="cols">
        <div className="stack stack--24">
          {segment.unbounded ? (
            <BigSegment
              place={place}
              segment={segment}
              environment={environment}
              isLocked={isLocked('updateIncluded') && isLocked('updateExcluded')}
            />
          ) : (
            <>
              <SegmentRules
                draft={draft}
                project={project}
                environment={place.environment}
                isLocked={isLocked('updateRules')}
              />
              <SegmentKeys
                project={project}
                type="included"
                draft={draft}
                isLocked={isLocked('updateIncluded')}
              />
              <SegmentKeys
                project={project}
                type="excluded"
                draft={draft}
                isLocked={isLocked('updateExcluded')}
              />
            </>
          )}
        </div>
        <aside className="stack stack--24" aria-label={SEGMENT.details}>
          <Card title={SEGMENT.uses}>
            <SegmentUses place={place} segment={segment} />
          </Card>
          <SegmentDetails
            segment={segment}
            draft={draft}
            isLocked={isLocked('updateName') && isLocked('updateDescription') && isLocked('updateTags')}
          />
        </aside>
      </div>
      {instructions.length > 0 && (
        <div className="savebar" role="region" aria-label={SEGMENT.save}>
          <span className="grow">{SEGMENT.unsaved(instructions.length)}</span>
          <Button onClick={draft.forget}>{SEGMENT.discard}</Button>
          <Button
            tone="primary"
            disabledReason={findProblem(edited, instructions)}
            onClick={() => setSaving(true)}
          >
            {SEGMENT.save}
          </Button>
        </div>
      )}
      {isSaving && (
        <SaveDialog
          title={SEGMENT.saveTitle(segment.name)}
          change={{
            project,
            environment: place.environment,
            resource,
            instructions,
            version: draft.version,
          }}
          onClose={() => setSaving(false)}
          onSaved={() => {
            setSaving(false);
            draft.forget();
          }}
        />
      )}
    </main>
  );
}

/** Why it cannot be saved as it is. */
function findProblem(
  edited: SegmentEdit,
  instructions: Parameters<typeof countChangedKeys>[0],
): string | undefined {
  if (edited.name.trim() === '') return SEGMENT.noName;
  const both = Object.entries(edited.included).flatMap(([kind, keys]) => {
    const excluded = new Set(edited.excluded[kind]);
    return keys.filter((one) => excluded.has(one));
  });
  if (both.length > 0) return SEGMENT.isBoth(both.slice(0, 5).join(', '));
  const changed = countChangedKeys(instructions);
  if (changed > MAX_CHANGED_KEYS) return SEGMENT.tooMany(formatCount(changed), formatCount(MAX_CHANGED_KEYS));
  return findRuleProblem(edited.rules);
}
