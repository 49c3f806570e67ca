// The fields of the general settings.
import { useId, type ReactNode } from 'react';
import { Card } from '../../ui/card.tsx';
import { Field, FieldError } from '../../ui/field.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import type { RepositoryPlace } from '../place.ts';
import { useBranches } from '../queries.ts';
import { isHomepage, type GeneralSettings } from './general-model.ts';
import { NamesField } from './names-field.tsx';
import { SwitchRow } from './switch-row.tsx';
import { GENERAL } from './settings-words.ts';

export interface GeneralCardProps {
  value: GeneralSettings;
  /** Somebody has tried to save it. */
  isTried: boolean;
  onChange: (patch: Partial<GeneralSettings>) => void;
}

const TOPIC = /^[a-z0-9][a-z0-9-]{0,49}$/;
const MAX_TOPICS = 20;

export function AboutCard({
  place,
  value,
  isTried,
  onChange,
}: GeneralCardProps & { place: RepositoryPlace }) {
  return (
    <Card title={GENERAL.about}>
      <div className="stack">
        <Field label={GENERAL.description} optional>
          <TextInput
            maxLength={350}
            value={value.description}
            onValue={(description) => onChange({ description })}
          />
        </Field>
        <Field
          label={GENERAL.homepage}
          optional
          help={GENERAL.homepageHelp}
          error={isTried && !isHomepage(value.homepage) && GENERAL.homepageBad}
        >
          <TextInput
            type="url"
            maxLength={255}
            spellCheck={false}
            value={value.homepage}
            onValue={(homepage) => onChange({ homepage })}
          />
        </Field>
        <NamesField
          label={GENERAL.topics}
          help={GENERAL.topicsHelp}
          names={value.topics}
          removeLabel={GENERAL.removeTopic}
          toName={(text) => text.toLowerCase()}
          problemOf={(text, names) =>
            !TOPIC.test(text) ? GENERAL.topicBad : names.length >= MAX_TOPICS ? GENERAL.topicsFull : undefined
          }
          onChange={(topics) => onChange({ topics })}
        />
        <DefaultBranchField
          place={place}
          value={value.default_branch}
          onChange={(branch) => onChange({ default_branch: branch })}
        />
      </div>
    </Card>
  );
}

interface DefaultBranchFieldProps {
  place: RepositoryPlace;
  value: string;
  onChange: (branch: string) => void;
}

/** A list where they are few; where they are many, a field that completes from the first of them. */
function DefaultBranchField({ place, value, onChange }: DefaultBranchFieldProps) {
  const { rows, hasMore, isLoading } = useBranches(place);
  const list = useId();
  const names = [...new Set([value, ...rows.map(({ name }) => name)])];
  const isEmpty = !isLoading && rows.length === 0;
  return (
    <Field label={GENERAL.defaultBranch} help={isEmpty ? GENERAL.noBranches : GENERAL.defaultHelp}>
      {hasMore ? (
        <TextInput isMono list={list} autoComplete="off" value={value} onValue={onChange} />
      ) : (
        <SelectInput
          value={value}
          onValue={onChange}
          options={names.map((name) => ({ value: name, label: name }))}
        />
      )}
      {hasMore && (
        <datalist id={list}>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </datalist>
      )}
    </Field>
  );
}

export function FeaturesCard({ value, onChange }: GeneralCardProps) {
  return (
    <Card title={GENERAL.features} isFlush>
      <ul className="rset__rows">
        <SwitchRow
          label={GENERAL.issues}
          help={GENERAL.issuesHelp}
          isOn={value.has_issues}
          onChange={(isOn) => onChange({ has_issues: isOn })}
        />
        <SwitchRow
          label={GENERAL.pulls}
          help={GENERAL.pullsHelp}
          isOn={value.has_pull_requests}
          onChange={(isOn) => onChange({ has_pull_requests: isOn })}
        >
          {value.has_pull_requests && (
            <Choice
              label={GENERAL.pullPolicy}
              names={GENERAL.policies}
              value={value.pull_request_creation_policy}
              onChange={(policy) => onChange({ pull_request_creation_policy: policy })}
            />
          )}
        </SwitchRow>
        <SwitchRow
          label={GENERAL.forking}
          help={GENERAL.forkingHelp}
          isOn={value.allow_forking}
          onChange={(isOn) => onChange({ allow_forking: isOn })}
        />
        <SwitchRow
          label={GENERAL.template}
          help={GENERAL.templateHelp}
          isOn={value.is_template}
          onChange={(isOn) => onChange({ is_template: isOn })}
        />
      </ul>
    </Card>
  );
}

export function MergingCard({ value, hasMethod, onChange }: GeneralCardProps & { hasMethod: boolean }) {
  return (
    <Card title={GENERAL.merging} isFlush>
      <ul className="rset__rows">
        <SwitchRow
          label={GENERAL.merge}
          help={GENERAL.mergeHelp}
          isOn={value.allow_merge_commit}
          onChange={(isOn) => onChange({ allow_merge_commit: isOn })}
        >
          {value.allow_merge_commit && (
            <Texts>
              <Choice
                label={GENERAL.titleOf}
                names={GENERAL.mergeTitles}
                value={value.merge_commit_title}
                onChange={(title) => onChange({ merge_commit_title: title })}
              />
              <Choice
                label={GENERAL.messageOf}
                names={GENERAL.mergeMessages}
                value={value.merge_commit_message}
                onChange={(message) => onChange({ merge_commit_message: message })}
              />
            </Texts>
          )}
        </SwitchRow>
        <SwitchRow
          label={GENERAL.squash}
          help={GENERAL.squashHelp}
          isOn={value.allow_squash_merge}
          onChange={(isOn) => onChange({ allow_squash_merge: isOn })}
        >
          {value.allow_squash_merge && (
            <Texts>
              <Choice
                label={GENERAL.titleOf}
                names={GENERAL.squashTitles}
                value={value.squash_merge_commit_title}
                onChange={(title) => onChange({ squash_merge_commit_title: title })}
              />
              <Choice
                label={GENERAL.messageOf}
                names={GENERAL.squashMessages}
                value={value.squash_merge_commit_message}
                onChange={(message) => onChange({ squash_merge_commit_message: message })}
              />
            </Texts>
          )}
        </SwitchRow>
        <SwitchRow
          label={GENERAL.rebase}
          help={GENERAL.rebaseHelp}
          isOn={value.allow_rebase_merge}
          onChange={(isOn) => onChange({ allow_rebase_merge: isOn })}
        />
        <SwitchRow
          label={GENERAL.deleteBranch}
          help={GENERAL.deleteBranchHelp}
          isOn={value.delete_branch_on_merge}
          onChange={(isOn) => onChange({ delete_branch_on_merge: isOn })}
        />
      </ul>
      {!hasMethod && (
        <div className="card__b">
          <FieldError>{GENERAL.noMethod}</FieldError>
        </div>
      )}
    </Card>
  );
}

function Texts({ children }: { children: ReactNode }) {
  return <div className="rset__two">{children}</div>;
}

interface ChoiceProps<Value extends string> {
  label: string;
  names: Readonly<Record<Value, string>>;
  value: Value;
  onChange: (value: Value) => void;
}

function Choice<Value extends string>({ label, names, value, onChange }: ChoiceProps<Value>) {
  return (
    <Field label={label}>
      <SelectInput
        value={value}
        onValue={(next) => onChange(next as Value)}
        options={Object.entries<string>(names).map(([one, text]) => ({ value: one, label: text }))}
      />
    </Field>
  );
}
