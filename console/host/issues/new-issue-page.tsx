// A new issue. What is typed is kept in this browser until it is created.
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { useSayDraft } from '../../app/draft-call.ts';
import { useDraft } from '../../app/drafts.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { Field } from '../../ui/field.tsx';
import { TextInput } from '../../ui/input.tsx';
import { repositoryHref, type RepositoryPlace } from '../place.ts';
import { RepositoryFrame } from '../repository-frame.tsx';
import type { Repository } from '../repository.ts';
import {
  newIssueCall,
  useCreateIssue,
  useLabels,
  useMilestones,
  usePeople,
  type NewIssue,
} from './issue-queries.ts';
import { ISSUE, ISSUES } from './issue-words.ts';
import { PlanFields } from './plan-fields.tsx';
import { useRights } from './rights.ts';
import { TextEditor } from './text-editor.tsx';
import '../../styles/issues.css';

const MAX_TITLE = 256;

export default function NewIssuePage() {
  const place = useParams<{ owner: string; repo: string }>();
  const list = `${repositoryHref(place)}/issues`;
  return (
    <RepositoryFrame
      place={place}
      tab="issues"
      crumbs={[{ label: ISSUES.issues, href: list }, { label: ISSUES.newIssue }]}
    >
      {(repository) => <NewIssueForm key={list} place={place} repository={repository} list={list} />}
    </RepositoryFrame>
  );
}

interface NewIssueFormProps {
  place: RepositoryPlace;
  repository: Repository;
  list: string;
}

const EMPTY = { title: '', body: '', labels: [] as string[], assignees: [] as string[], milestone: 0 };

function NewIssueForm({ place, repository, list }: NewIssueFormProps) {
  const { value, change, forget } = useDraft(`new-issue ${place.owner}/${place.repo}`, EMPTY);
  const [isTried, setTried] = useState(false);
  const [, navigate] = useLocation();
  const create = useCreateIssue(place);
  const rights = useRights(repository, undefined);
  const lists = {
    labels: useLabels(place, rights.mayTriage),
    people: usePeople(place, rights.mayTriage),
    milestones: useMilestones(place, 'open', rights.mayTriage),
  };
  const title = value.title.trim();
  const wanted: NewIssue = {
    title,
    ...(value.body !== '' && { body: value.body }),
    ...(value.labels.length > 0 && { labels: value.labels }),
    ...(value.assignees.length > 0 && { assignees: value.assignees }),
    ...(value.milestone > 0 && { milestone: value.milestone }),
  };
  useSayDraft(title === '' ? undefined : newIssueCall(place, wanted));
  const submit = () => {
    setTried(true);
    if (title === '') return;
    create.mutate(wanted, {
      onSuccess: ({ number }) => {
        forget();
        navigate(`${list}/${number}`);
      },
    });
  };
  return (
    <div className="cols cols--talk">
      <form
        className="stack stack--16"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <ChangeError error={create.error} />
        <Field label={ISSUE.title} error={isTried && title === '' && ISSUE.titleMissing}>
          <TextInput maxLength={MAX_TITLE} value={value.title} onValue={(next) => change({ title: next })} />
        </Field>
        <TextEditor
          place={place}
          label={ISSUE.text}
          help={ISSUE.textHelp}
          rows={12}
          value={value.body}
          onChange={(body) => change({ body })}
          onSubmit={submit}
        />
        <div className="row">
          <Button type="submit" tone="primary" isBusy={create.isPending}>
            {ISSUE.create}
          </Button>
          <ButtonLink href={list}>{ISSUE.cancel}</ButtonLink>
        </div>
      </form>
      {rights.mayTriage && <PlanFields value={value} change={change} {...lists} />}
    </div>
  );
}
