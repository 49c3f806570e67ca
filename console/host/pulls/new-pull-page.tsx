// A new pull request: two branches, what they differ in, a title and a text.
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { useSayDraft } from '../../app/draft-call.ts';
import { useDraft } from '../../app/drafts.ts';
import { useRead } from '../../api/read.ts';
import { useSearchState } from '../../lib/search-state.ts';
import { useSettled } from '../../lib/settled.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format.ts';
import { TextInput } from '../../ui/input.tsx';
import { TextLink } from '../../ui/link.tsx';
import { TextEditor } from '../issues/text-editor.tsx';
import { ISSUE, ISSUES } from '../issues/issue-words.ts';
import { compareHref, repositoryHref, type RepositoryPlace } from '../place.ts';
import { repositoryCall, TOPICS, useMatchingRefs } from '../queries.ts';
import { RepositoryFrame } from '../repository-frame.tsx';
import { firstLine, type Commit, type Repository } from '../repository.ts';
import { newPullCall, useCreatePull, type NewPull } from './pull-queries.ts';
import { NEW_PULL } from './pull-words.ts';
import '../../styles/issues.css';

const MAX_TITLE = 256;

export default function NewPullPage() {
  const place = useParams<{ owner: string; repo: string }>();
  const list = `${repositoryHref(place)}/pulls`;
  return (
    <RepositoryFrame
      place={place}
      tab="pulls"
      crumbs={[{ label: ISSUES.pulls, href: list }, { label: ISSUES.newPull }]}
    >
      {(repository) => <NewPullForm key={list} place={place} repository={repository} list={list} />}
    </RepositoryFrame>
  );
}

interface Comparison {
  ahead_by: number;
  total_commits: number;
  commits: Commit[];
}

function useDifference(place: RepositoryPlace, base: string, head: string) {
  const isEnabled = base !== '' && head !== '' && base !== head;
  const range = `${encodeURIComponent(base)}...${encodeURIComponent(head)}`;
  return useRead<Comparison>(
    { call: repositoryCall(place, `/compare/${range}`, { per_page: 1 }), topics: TOPICS },
    { isEnabled },
  );
}

interface NewPullFormProps {
  place: RepositoryPlace;
  repository: Repository;
  list: string;
}

const EMPTY = { title: '', body: '', isDraft: false };

function NewPullForm({ place, repository, list }: NewPullFormProps) {
  const search = useSearchState(`${list}/new`);
  const base = search.get('base') ?? repository.default_branch;
  const head = search.get('head') ?? '';
  const { value, change, forget } = useDraft(`new-pull ${place.owner}/${place.repo}`, EMPTY);
  const { data: difference, error } = useDifference(place, base, head);
  const [, navigate] = useLocation();
  const create = useCreatePull(place);
  const only = difference?.total_commits === 1 ? difference.commits[0] : undefined;
  // One commit says what it is about.
  const suggested = only === undefined ? '' : firstLine(only.commit.message);
  const title = value.title.trim() === '' ? suggested : value.title.trim();
  const reason =
    head === ''
      ? NEW_PULL.choose
      : head === base
        ? NEW_PULL.same
        : difference?.ahead_by === 0
          ? NEW_PULL.nothing
          : title === ''
            ? ISSUE.titleMissing
            : undefined;
  const wanted: NewPull = {
    title,
    head,
    base,
    ...(value.body !== '' && { body: value.body }),
    ...(value.isDraft && { draft: true }),
  };
  useSayDraft(reason === undefined ? newPullCall(place, wanted) : undefined);
  const submit = () =>
    reason === undefined &&
    create.mutate(wanted, {
      onSuccess: ({ number }) => {
        forget();
        navigate(`${list}/${number}`);
      },
    });
  return (
    <form
      className="stack stack--16 page--mid"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <ChangeError error={create.error} />
      <div className="pull-sides">
        <BranchField
          place={place}
          label={NEW_PULL.base}
          help={NEW_PULL.baseHelp}
          value={base}
          onChange={(next) => search.set({ base: next })}
        />
        <BranchField
          place={place}
          label={NEW_PULL.head}
          help={NEW_PULL.headHelp}
          value={head}
          onChange={(next) => search.set({ head: next })}
        />
      </div>
      {head !== '' && head !== base && (
        <Banner tone={difference?.ahead_by === 0 || error !== null ? 'warn' : 'neutral'}>
          {error !== null ? (
            error.message
          ) : difference === undefined ? (
            '…'
          ) : difference.ahead_by === 0 ? (
            NEW_PULL.nothing
          ) : (
            <>
              {NEW_PULL.ahead(formatCount(difference.ahead_by), difference.ahead_by === 1)}
              {' · '}
              <TextLink href={compareHref(place, base, head)}>{NEW_PULL.differences}</TextLink>
            </>
          )}
        </Banner>
      )}
      <Field label={ISSUE.title}>
        <TextInput
          maxLength={MAX_TITLE}
          value={value.title}
          placeholder={suggested}
          onValue={(next) => change({ title: next })}
        />
      </Field>
      <TextEditor
        place={place}
        label={ISSUE.text}
        help={ISSUE.textHelp}
        rows={10}
        value={value.body}
        onChange={(body) => change({ body })}
        onSubmit={submit}
      />
      <Checkbox
        label={NEW_PULL.createDraft}
        help={NEW_PULL.draftHelp}
        isChecked={value.isDraft}
        onChange={(isDraft) => change({ isDraft })}
      />
      <div className="row">
        <Button type="submit" tone="primary" isBusy={create.isPending} disabledReason={reason}>
          {NEW_PULL.create}
        </Button>
        <ButtonLink href={list}>{ISSUE.cancel}</ButtonLink>
      </div>
    </form>
  );
}

interface BranchFieldProps {
  place: RepositoryPlace;
  label: string;
  help: string;
  value: string;
  onChange: (value: string) => void;
}

/** Completed from branches whose names begin with what is typed. It counts when the field is left, or a branch is chosen. */
function BranchField({ place, label, help, value, onChange }: BranchFieldProps) {
  const [typed, setTyped] = useState(value);
  const start = useSettled(typed.trim());
  const { refs } = useMatchingRefs(place, 'heads', start, !start.includes(':'));
  const id = `branches-${label}`;
  const accept = (name: string) => {
    setTyped(name);
    if (refs?.some((one) => one.name === name.trim()) === true) onChange(name.trim());
  };
  return (
    <Field label={label} help={help}>
      <TextInput
        isMono
        list={id}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onValue={accept}
        onBlur={() => onChange(typed.trim())}
      />
      <datalist id={id}>
        {refs?.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </datalist>
    </Field>
  );
}
