// The form of the save dialog: what changes, why, and when. The label of the button says what will happen.
import { useState } from 'react';
import { useSayDraft } from '../../app/draft-call.ts';
import { useDraft } from '../../app/drafts.ts';
import type { ApiError } from '../../api/error.ts';
import type { ChangeGuard, ChangePreview } from '../../api/types/signalbox.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { formatAbsolute } from '../../ui/format.ts';
import { TextArea } from '../../ui/input.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { useEnvironments } from '../queries.ts';
import { Difference } from './difference.tsx';
import { GuardField } from './guard-field.tsx';
import { needsTypedKey } from './guard.ts';
import { approvalCall, canWait, patchCall, scheduleCall, type PlannedChange } from './planned-change.ts';
import { ChangeError } from '../../ui/change-error.tsx';
import { SAVE_WORDS as WORDS } from './save-words.ts';
import type { Saving } from './use-saving.ts';
import {
  ApprovalFields,
  instantOf,
  laterToday,
  ownZone,
  ScheduleFields,
  type ScheduleDraft,
  type When,
} from './when-fields.tsx';

export interface SaveFormProps {
  change: PlannedChange;
  title: string | undefined;
  preview: { data: ChangePreview | undefined; error: ApiError | null };
  saving: Saving;
  onClose: () => void;
}

/** Kept until the change is made. */
function saveDraftKey({ project, environment = '', resource }: PlannedChange): string {
  return `save ${project} ${environment} ${resource.kind} ${resource.key}`;
}

export function SaveForm({ change, title, preview, saving, onClose }: SaveFormProps) {
  const { environment: place, resource, version } = change;
  const guard = useGuard(change, preview.data?.guard);
  const {
    value: draft,
    change: write,
    forget,
  } = useDraft(saveDraftKey(change), {
    comment: '',
    description: '',
  });
  const [wish, setWish] = useState<When>('now');
  const [schedule, setSchedule] = useState<ScheduleDraft>(() => laterToday(ownZone()));
  const [reviewers, setReviewers] = useState<string[]>([]);
  const [typed, setTyped] = useState('');

  const mustAsk = guard.requiresApproval && !guard.mayBypassApproval && canWait(change);
  const [isSure, setSure] = useState(false);
  const conflicts = preview.data?.conflicts ?? [];
  const when: When = mustAsk ? 'approval' : wish;
  const key = when === 'approval' ? undefined : guard.key;
  const instant = instantOf(schedule);
  const comment = draft.comment.trim();
  const options = { comment, ignoreConflicts: isSure && conflicts.length > 0 };
  const call =
    when === 'schedule'
      ? scheduleCall(change, instant ?? 0, comment)
      : when === 'approval'
        ? approvalCall(change, { description: draft.description.trim(), comment, reviewers })
        : patchCall(change, options);
  useSayDraft(call);

  const reason = firstOf(
    [preview.data === undefined && preview.error === null, WORDS.waitForPreview],
    [preview.error !== null, WORDS.notPossible],
    [preview.data?.sentences.length === 0, WORDS.nothing],
    [when !== 'approval' && !guard.mayApply, guard.reason ?? WORDS.notPossible],
    [when === 'schedule' && instant === undefined, WORDS.past],
    [when === 'approval' && draft.description.trim() === '', WORDS.descriptionFirst],
    [when !== 'approval' && guard.requiresComment && comment === '', WORDS.commentFirst],
    [when === 'now' && conflicts.length > 0 && !isSure, WORDS.sureFirst],
    [key !== undefined && typed.trim() !== key, WORDS.typeFirst(key ?? '')],
  );

  const confirm = () => {
    if (when === 'now') saving.save(change, options, forget);
    else saving.send(call, when, forget);
  };
  return (
    <Dialog
      title={
        title ?? WORDS.title(preview.data?.sentences.length ?? change.instructions.length, resource.name)
      }
      text={<Place place={place} isCritical={guard.isCritical} version={version} />}
      tone={guard.isCritical ? 'production' : 'normal'}
      onClose={onClose}
      footer={
        <>
          <span className="t12 muted grow">
            {resource.kind === 'flag' && when === 'now' && WORDS.revertHint}
          </span>
          <Button data-autofocus="" onClick={onClose}>
            {change.wanted === undefined ? WORDS.cancel : WORDS.keep}
          </Button>
          <Button
            tone={guard.isCritical && when !== 'approval' ? 'production' : 'primary'}
            icon={reason !== undefined && key !== undefined ? 'lock' : undefined}
            disabledReason={reason}
            isBusy={saving.isBusy}
            onClick={confirm}
          >
            {labelOf(when, place, instant, schedule.zone)}
          </Button>
        </>
      }
    >
      {saving.error !== undefined && <ChangeError error={saving.error} />}
      {preview.error !== null && <ChangeError error={preview.error} />}
      {preview.data === undefined
        ? preview.error === null && <Skeleton lines={3} />
        : preview.error === null && <Difference change={change} preview={preview.data} />}
      {!guard.mayApply && guard.reason !== undefined && !mustAsk && (
        <Banner tone="warn">{guard.reason}</Banner>
      )}
      {canWait(change) && (
        <fieldset className="stack stack--8">
          <legend className="fld__l">{WORDS.when}</legend>
          {mustAsk ? (
            <p className="t13">{WORDS.approvalOnly}</p>
          ) : (
            <>
              {guard.requiresApproval && <p className="t13">{WORDS.approvalBypass}</p>}
              <div className="save-seg">
                <Segmented<When>
                  label={WORDS.when}
                  value={when}
                  onChange={setWish}
                  options={[
                    { value: 'now', label: WORDS.now },
                    { value: 'schedule', label: WORDS.schedule, icon: 'clock' },
                    { value: 'approval', label: WORDS.approval, icon: 'users' },
                  ]}
                />
              </div>
            </>
          )}
          {when === 'schedule' && <ScheduleFields value={schedule} onChange={setSchedule} />}
          {when === 'approval' && (
            <ApprovalFields
              description={draft.description}
              onDescription={(description) => write({ description })}
              reviewers={reviewers}
              onReviewers={setReviewers}
            />
          )}
        </fieldset>
      )}
      <Field
        label={WORDS.comment}
        optional={!guard.requiresComment || when === 'approval'}
        end={guard.requiresComment && when !== 'approval' ? WORDS.commentRequired : undefined}
        help={WORDS.commentHelp}
      >
        <TextArea
          rows={2}
          maxLength={10_000}
          value={draft.comment}
          onValue={(text) => write({ comment: text })}
        />
      </Field>
      {when === 'now' && conflicts.length > 0 && (
        <Banner tone="warn">
          {WORDS.conflicts(conflicts.length)}
          <ul>
            {conflicts.map(({ id, reason: why }) => (
              <li key={id}>{why}</li>
            ))}
          </ul>
          <Checkbox label={WORDS.sure} isChecked={isSure} onChange={setSure} />
        </Banner>
      )}
      {key !== undefined && <GuardField place={key} value={typed} onChange={setTyped} />}
    </Dialog>
  );
}

/** What the server says; until then, what is known of the environment. `key` is to be typed by hand. */
function useGuard(
  { project, environment }: PlannedChange,
  known: ChangeGuard | undefined,
): ChangeGuard & { key?: string } {
  const { data } = useEnvironments(project);
  const places = environment === undefined ? (known?.environments ?? []) : [environment];
  const reached = data?.items.filter(({ key }) => places.includes(key)) ?? [];
  const guarding = reached.find(needsTypedKey);
  const guard: ChangeGuard = known ?? {
    environments: places,
    requiresComment: reached.some(({ requireComments }) => requireComments),
    requiresConfirmation: guarding !== undefined,
    isCritical: reached.some(({ critical }) => critical),
    requiresApproval: reached.some(({ approvalSettings }) => approvalSettings.required),
    mayBypassApproval: false,
    mayApply: true,
  };
  return { ...guard, ...(guarding !== undefined && { key: guarding.key }) };
}

interface PlaceProps {
  place: string | undefined;
  isCritical: boolean;
  version: number;
}

function Place({ place, isCritical, version }: PlaceProps) {
  return (
    <span className="row">
      {place !== undefined && (
        <>
          {WORDS.in}
          {isCritical ? (
            <Badge tone="prod" icon="shield">
              {place}
            </Badge>
          ) : (
            <Badge>{place}</Badge>
          )}
        </>
      )}
      {WORDS.onTopOf(version)}
    </span>
  );
}

function labelOf(when: When, place: string | undefined, instant: number | undefined, zone: string): string {
  if (when === 'approval') return WORDS.request(place ?? '');
  if (when === 'now') return WORDS.saveNow(place);
  return instant === undefined
    ? WORDS.scheduleIt
    : WORDS.scheduleFor(formatAbsolute(instant, Date.now(), zone));
}

function firstOf(...reasons: [isSo: boolean, text: string][]): string | undefined {
  return reasons.find(([isSo]) => isSo)?.[1];
}
