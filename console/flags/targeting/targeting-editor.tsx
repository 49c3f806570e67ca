// The editor of one environment: the track of steps, the draft with its bar, and a context to try it with.
import { useMemo, useState } from 'react';
import { useSayDraft } from '../../app/draft-call.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { SelectInput } from '../../ui/input.tsx';
import { toast } from '../../ui/toasts.tsx';
import { LeaveGuard } from '../flag/leave-guard.tsx';
import { useMayChange } from '../flag/may-change.ts';
import { letterOf, variationText, type Flag } from '../flag.ts';
import { CopyTargeting } from '../compare/copy-targeting.tsx';
import type { Environment } from '../queries.ts';
import { patchCall, type PlannedChange } from '../save/planned-change.ts';
import { SaveDialog } from '../save/save-dialog.tsx';
import { VariationMark } from '../served.tsx';
import { TryPanel } from '../try/try-panel.tsx';
import type { TryHit } from '../try/evaluation.ts';
import { variationName } from './clause-words.ts';
import { PrerequisitesCard } from './prerequisites-card.tsx';
import { countProblems } from './problems.ts';
import { RuleList } from './rule-list.tsx';
import { ServeField } from './serve-field.tsx';
import { describePart, detail, summarize } from './summary.ts';
import { TargetsCard } from './targets-card.tsx';
import { useContextKinds } from './targeting-queries.ts';
import { TARGETING_WORDS as WORDS } from './targeting-words.ts';
import { newRule, serveOf, type Targeting } from './targeting.ts';
import { TheirChange } from './their-change.tsx';
import { UnsavedBar } from './unsaved-bar.tsx';
import { useTargetingDraft } from './use-targeting-draft.ts';

export interface TargetingEditorProps {
  project: string;
  flag: Flag;
  environment: Environment;
  /** All of the project. */
  environments: readonly Environment[];
  saved: Targeting;
}

export function TargetingEditor(props: TargetingEditorProps) {
  const { project, flag, environment, environments, saved } = props;
  const { variations } = flag;
  const idText = variations.map(({ _id }) => _id).join(' ');
  const ids = useMemo(() => idText.split(' '), [idText]);
  const draft = useTargetingDraft(
    `targeting ${project} ${flag.key} ${environment.key}`,
    saved,
    flag.version,
    ids,
  );
  const { base, after, hasChanges, instructions, edit } = draft;
  const kinds = useContextKinds(project);
  const [isSaving, setSaving] = useState(false);
  const [adding, setAdding] = useState<'prerequisite' | 'targets'>();
  const [hit, setHit] = useState<TryHit>();
  const { targetingReason } = useMayChange(project, flag, environment);
  const lockReason = flag.archived ? WORDS.archived : targetingReason;
  const isLocked = lockReason !== undefined;
  const problems = countProblems(base, after);
  const changes = useMemo(() => summarize(base, after, variations), [base, after, variations]);
  const change: PlannedChange = {
    project,
    environment: environment.key,
    resource: { kind: 'flag', key: flag.key, name: flag.name },
    instructions,
    version: draft.version,
    base,
    wanted: after,
    describe: (part, value) => describePart(part, value, variations),
  };
  // The dialog says its own call while it is open.
  useSayDraft(hasChanges && !isSaving && problems === 0 ? patchCall(change) : undefined);

  const hasPrerequisites = after.prerequisites.length > 0 || adding === 'prerequisite';
  const hasTargets = after.targets.length > 0 || adding === 'targets';
  const firstRule = 1 + (hasPrerequisites ? 1 : 0) + (hasTargets ? 1 : 0);
  const hitIn = (place: TryHit['place']) => (hit?.place === place ? hit.key : undefined);
  const discard = () => {
    const undo = draft.discard();
    toast({ text: WORDS.discarded, action: { label: WORDS.undo, run: undo } });
  };
  return (
    <>
      {isLocked && (
        <div className="over-track">
          <Banner tone="warn">{lockReason}</Banner>
        </div>
      )}
      {draft.isLost && (
        <div className="over-track">
          <Banner tone="warn" onDismiss={() => void draft.discard()}>
            {WORDS.lost}
          </Banner>
        </div>
      )}
      {hasChanges && base !== saved && (
        <TheirChange project={project} flag={flag.key} base={base} saved={saved} />
      )}
      <div className="cols cols--try">
        <div className="track">
          {hasPrerequisites && (
            <PrerequisitesCard
              project={project}
              flagKey={flag.key}
              prerequisites={after.prerequisites}
              before={base.prerequisites}
              step={1}
              edit={edit}
              isAdding={adding === 'prerequisite'}
              onAdded={() => setAdding(undefined)}
              hit={hitIn('prerequisites')}
              isLocked={isLocked}
            />
          )}
          {hasTargets && (
            <TargetsCard
              targets={after.targets}
              before={base.targets}
              step={hasPrerequisites ? 2 : 1}
              variations={variations}
              kinds={kinds}
              edit={edit}
              isAdding={adding === 'targets'}
              onAdded={() => setAdding(undefined)}
              hit={hitIn('targets')}
              isLocked={isLocked}
            />
          )}
          <RuleList
            project={project}
            environment={environment.key}
            base={base}
            after={after}
            firstStep={firstRule}
            variations={variations}
            kinds={kinds}
            edit={edit}
            hit={hit}
            isLocked={isLocked}
          />
          <DefaultCard
            flag={flag}
            draft={draft}
            kinds={kinds}
            step={firstRule + after.rules.length}
            isLocked={isLocked}
            hit={hitIn('fallthrough')}
          />
          <div className="row row--wrap">
            {!isLocked && (
              <>
                <Button
                  size="sm"
                  icon="plus"
                  onClick={() =>
                    edit((present) => ({ ...present, rules: [...present.rules, newRule(present)] }))
                  }
                >
                  {WORDS.addRule}
                </Button>
                <Button size="sm" icon="plus" onClick={() => setAdding('prerequisite')}>
                  {WORDS.addPrerequisite}
                </Button>
                <Button size="sm" icon="plus" onClick={() => setAdding('targets')}>
                  {WORDS.addTargets}
                </Button>
              </>
            )}
            <CopyTargeting
              project={project}
              flag={flag}
              from={environment}
              environments={environments}
              hasDraft={hasChanges}
            />
          </div>
          <OffAndEvents flag={flag} draft={draft} isLocked={isLocked} hit={hitIn('off')} />
        </div>
        <TryPanel
          project={project}
          flag={flag}
          environment={environment.key}
          instructions={problems === 0 ? instructions : []}
          hasDraft={hasChanges}
          isDraftWhole={problems === 0}
          onHit={setHit}
        />
      </div>
      {hasChanges && (
        <UnsavedBar
          changes={changes}
          problems={problems}
          onDiscard={discard}
          onReview={() => setSaving(true)}
        />
      )}
      {isSaving && (
        <SaveDialog
          change={{ ...change, details: detail(base, after, variations) }}
          onClose={() => setSaving(false)}
          onSaved={() => {
            setSaving(false);
            draft.discard();
          }}
        />
      )}
      {hasChanges && !isSaving && <LeaveGuard count={changes.length} onDiscard={draft.discard} />}
    </>
  );
}

interface PartProps {
  flag: Flag;
  draft: ReturnType<typeof useTargetingDraft>;
  isLocked: boolean;
  hit: string | undefined;
}

function DefaultCard({
  flag,
  draft: { base, after, edit },
  kinds,
  step,
  isLocked,
  hit,
}: PartProps & { kinds: readonly string[]; step: number }) {
  const isEdited = base.fallthrough !== after.fallthrough;
  return (
    <section
      className={`stop card rule rule--flat${isEdited ? ' is-edit' : ''}${hit === undefined ? '' : ' is-hit'}`}
      data-n={step}
      aria-label={WORDS.everyoneElse}
    >
      <div className="rule__h">
        <h2>{WORDS.everyoneElse}</h2>
        {hit !== undefined && <span className="ok t12 w5 nw">{WORDS.stopsHere(hit)}</span>}
      </div>
      <div className="rule__b">
        <ServeField
          where={WORDS.defaultRule.toLowerCase()}
          serve={serveOf(after.fallthrough)}
          before={serveOf(base.fallthrough)}
          variations={flag.variations}
          kinds={kinds}
          onChange={(fallthrough) => edit((present) => ({ ...present, fallthrough }))}
          isLocked={isLocked}
        />
      </div>
    </section>
  );
}

function OffAndEvents({ flag, draft: { after, edit }, isLocked, hit }: PartProps) {
  const { variations } = flag;
  return (
    <div className="stack stack--8 off-row">
      <div className="row row--wrap t13">
        <span className="muted">{WORDS.whenOff}</span>
        {after.offVariation !== undefined && <VariationMark index={after.offVariation} />}
        {isLocked ? (
          <span className="mono t12">{variationName(variations, after.offVariation)}</span>
        ) : (
          <span className="serve-select">
            <SelectInput
              aria-label={WORDS.offVariation}
              controlSize="sm"
              value={after.offVariation === undefined ? '' : String(after.offVariation)}
              onValue={(index) => edit((present) => ({ ...present, offVariation: Number(index) }))}
              options={[
                ...(after.offVariation === undefined
                  ? [{ value: '', label: WORDS.codeDefault, isDisabled: true }]
                  : []),
                ...variations.map((one, index) => ({
                  value: String(index),
                  label: `${letterOf(index)}: ${variationText(one)}`,
                })),
              ]}
            />
          </span>
        )}
        {hit !== undefined && <span className="ok t12 w5 nw">{WORDS.stopsHere(hit)}</span>}
      </div>
      {isLocked ? (
        <p className="t13 muted">
          {[
            ...(after.trackEvents ? [WORDS.trackAll] : []),
            ...(after.trackEventsFallthrough ? [WORDS.trackDefault] : []),
          ].join(' · ')}
        </p>
      ) : (
        <details>
          <summary className="t13 muted">{WORDS.events}</summary>
          <div className="stack stack--4">
            <Checkbox
              label={WORDS.trackAll}
              isChecked={after.trackEvents}
              onChange={(trackEvents) => edit((present) => ({ ...present, trackEvents }))}
            />
            <Checkbox
              label={WORDS.trackDefault}
              isChecked={after.trackEventsFallthrough}
              onChange={(trackEventsFallthrough) =>
                edit((present) => ({ ...present, trackEventsFallthrough }))
              }
            />
          </div>
        </details>
      )}
    </div>
  );
}
