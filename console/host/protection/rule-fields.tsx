// The switches of a branch's rule, each with its sentence.
import { Card } from '../../ui/card.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { SelectInput } from '../../ui/input.tsx';
import type { RepositoryPlace } from '../place.ts';
import { NamesField } from '../settings/names-field.tsx';
import { SwitchRow } from '../settings/switch-row.tsx';
import { ActorFields } from './actor-fields.tsx';
import { NEW_REVIEWS, NOBODY, type Actors, type ProtectionDraft, type ReviewDraft } from './protection.ts';
import { RULE_FORM } from './protection-words.ts';

const MAX_APPROVALS = 6;
const MAX_CHECKS = 100;
const MAX_CHECK_NAME = 255;

export interface RuleFieldsProps {
  place: RepositoryPlace;
  /** Only then it can name people, teams and apps. */
  isOrganization: boolean;
  value: ProtectionDraft;
  onChange: (patch: Partial<ProtectionDraft>) => void;
}

export function RuleFields(props: RuleFieldsProps) {
  return (
    <>
      <PullFields {...props} />
      <CheckFields {...props} />
      <HistoryFields {...props} />
      <PeopleFields {...props} />
    </>
  );
}

function PullFields({ place, isOrganization, value, onChange }: RuleFieldsProps) {
  const { reviews } = value;
  const change = (patch: Partial<ReviewDraft>) =>
    onChange({ reviews: { ...(reviews ?? NEW_REVIEWS), ...patch } });
  return (
    <Card title={RULE_FORM.pulls} isFlush>
      <ul className="rset__rows">
        <SwitchRow
          label={RULE_FORM.reviews}
          help={RULE_FORM.reviewsHelp}
          isOn={reviews !== null}
          onChange={(isOn) => onChange({ reviews: isOn ? NEW_REVIEWS : null })}
        >
          {reviews !== null && (
            <>
              <Field label={RULE_FORM.count}>
                <SelectInput
                  className="rset__count"
                  value={String(reviews.count)}
                  onValue={(count) => change({ count: Number(count) })}
                  options={Array.from({ length: MAX_APPROVALS + 1 }, (_, count) => ({
                    value: String(count),
                    label: String(count),
                  }))}
                />
              </Field>
              <Checkbox
                label={RULE_FORM.codeOwners}
                help={RULE_FORM.codeOwnersHelp}
                isChecked={reviews.hasCodeOwners}
                onChange={(hasCodeOwners) => change({ hasCodeOwners })}
              />
              <Checkbox
                label={RULE_FORM.stale}
                isChecked={reviews.dismissesStale}
                onChange={(dismissesStale) => change({ dismissesStale })}
              />
              <Checkbox
                label={RULE_FORM.lastPush}
                isChecked={reviews.hasLastPush}
                onChange={(hasLastPush) => change({ hasLastPush })}
              />
              {isOrganization && (
                <>
                  <NamedSome
                    place={place}
                    label={RULE_FORM.dismissers}
                    value={reviews.dismissers}
                    onChange={(dismissers) => change({ dismissers })}
                  />
                  <NamedSome
                    place={place}
                    label={RULE_FORM.bypassers}
                    value={reviews.bypassers}
                    onChange={(bypassers) => change({ bypassers })}
                  />
                </>
              )}
            </>
          )}
        </SwitchRow>
        <SwitchRow
          label={RULE_FORM.conversations}
          help={RULE_FORM.conversationsHelp}
          isOn={value.hasConversations}
          onChange={(hasConversations) => onChange({ hasConversations })}
        />
      </ul>
    </Card>
  );
}

interface NamedSomeProps {
  place: RepositoryPlace;
  label: string;
  value: Actors | null;
  onChange: (value: Actors | null) => void;
}

function NamedSome({ place, label, value, onChange }: NamedSomeProps) {
  return (
    <div className="stack stack--8" role="group" aria-label={label}>
      <Checkbox
        label={label}
        isChecked={value !== null}
        onChange={(isOn) => onChange(isOn ? NOBODY : null)}
      />
      {value !== null && <ActorFields place={place} value={value} onChange={onChange} />}
    </div>
  );
}

function CheckFields({ value, onChange }: RuleFieldsProps) {
  const { checks } = value;
  return (
    <Card title={RULE_FORM.checksTitle} isFlush>
      <ul className="rset__rows">
        <SwitchRow
          label={RULE_FORM.checks}
          help={RULE_FORM.checksHelp}
          isOn={checks !== null}
          onChange={(isOn) => onChange({ checks: isOn ? { isStrict: false, list: [] } : null })}
        >
          {checks !== null && (
            <>
              <NamesField
                label={RULE_FORM.checkNames}
                help={RULE_FORM.checkNamesHelp}
                names={checks.list.map(({ context }) => context)}
                removeLabel={RULE_FORM.removeCheck}
                problemOf={(name, names) =>
                  name.length > MAX_CHECK_NAME || names.length >= MAX_CHECKS
                    ? RULE_FORM.checkTooLong
                    : undefined
                }
                onChange={(names) =>
                  onChange({
                    checks: {
                      ...checks,
                      // Who must report one that stays is kept.
                      list: names.map(
                        (context) =>
                          checks.list.find((one) => one.context === context) ?? { context, app_id: null },
                      ),
                    },
                  })
                }
              />
              <Checkbox
                label={RULE_FORM.strict}
                help={RULE_FORM.strictHelp}
                isChecked={checks.isStrict}
                onChange={(isStrict) => onChange({ checks: { ...checks, isStrict } })}
              />
            </>
          )}
        </SwitchRow>
      </ul>
    </Card>
  );
}

function HistoryFields({ value, onChange }: RuleFieldsProps) {
  return (
    <Card title={RULE_FORM.historyTitle} isFlush>
      <ul className="rset__rows">
        <SwitchRow
          label={RULE_FORM.linear}
          help={RULE_FORM.linearHelp}
          isOn={value.isLinear}
          onChange={(isLinear) => onChange({ isLinear })}
        />
        <SwitchRow
          label={RULE_FORM.force}
          help={RULE_FORM.forceHelp}
          isOn={value.allowsForce}
          onChange={(allowsForce) => onChange({ allowsForce })}
        />
        <SwitchRow
          label={RULE_FORM.deletion}
          help={RULE_FORM.deletionHelp}
          isOn={value.allowsDeletion}
          onChange={(allowsDeletion) => onChange({ allowsDeletion })}
        />
        <SwitchRow
          label={RULE_FORM.lock}
          help={RULE_FORM.lockHelp}
          isOn={value.isLocked}
          onChange={(isLocked) => onChange({ isLocked })}
        >
          {value.isLocked && (
            <Checkbox
              label={RULE_FORM.forkSync}
              isChecked={value.allowsForkSync}
              onChange={(allowsForkSync) => onChange({ allowsForkSync })}
            />
          )}
        </SwitchRow>
      </ul>
    </Card>
  );
}

function PeopleFields({ place, isOrganization, value, onChange }: RuleFieldsProps) {
  const { pushers } = value;
  return (
    <Card title={RULE_FORM.peopleTitle} isFlush>
      <ul className="rset__rows">
        <SwitchRow
          label={RULE_FORM.pushers}
          help={RULE_FORM.pushersHelp}
          isOn={pushers !== null}
          reason={isOrganization ? undefined : RULE_FORM.onlyOrganizations}
          onChange={(isOn) => onChange({ pushers: isOn ? NOBODY : null })}
        >
          {pushers !== null && (
            <>
              <ActorFields place={place} value={pushers} onChange={(next) => onChange({ pushers: next })} />
              <Checkbox
                label={RULE_FORM.creations}
                isChecked={value.blocksCreations}
                onChange={(blocksCreations) => onChange({ blocksCreations })}
              />
            </>
          )}
        </SwitchRow>
        <SwitchRow
          label={RULE_FORM.admins}
          help={RULE_FORM.adminsHelp}
          isOn={value.bindsAdmins}
          onChange={(bindsAdmins) => onChange({ bindsAdmins })}
        />
      </ul>
    </Card>
  );
}
