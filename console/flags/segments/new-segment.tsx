// The form of a new segment.
import { useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import { useSayDraft } from '../../app/draft-call.ts';
import { useDraft } from '../../app/drafts.ts';
import { TagsInput } from '../../lib/tags-input.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { RadioCards } from '../../ui/choice.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { words } from '../../ui/words.ts';
import { keyFrom, keyProblem } from '../new-flag/flag-key.ts';
import { useContextKinds } from '../targeting/targeting-queries.ts';
import { hrefOf } from './segment-links.ts';
import { postCall, useCreateSegment, type SegmentPost } from './segments-queries.ts';
import { NEW_SEGMENT } from './segments-words.ts';

const EMPTY = {
  name: '',
  key: '',
  hasOwnKey: false,
  description: '',
  tags: [] as string[],
  isBig: false,
  contextKind: 'user',
};

interface NewSegmentProps {
  project: string;
  environment: string;
  onClose: () => void;
}

export function NewSegmentDialog({ project, environment, onClose }: NewSegmentProps) {
  const { value, change, forget } = useDraft(`segment:${project}/${environment}`, EMPTY);
  const [isSubmitted, setSubmitted] = useState(false);
  const create = useCreateSegment(project, environment);
  const kinds = useContextKinds(project);
  const [, navigate] = useLocation();
  const key = value.hasOwnKey ? value.key : keyFrom(value.name);
  const post: SegmentPost = {
    key,
    name: value.name.trim(),
    tags: value.tags,
    unbounded: value.isBig,
    ...(value.description !== '' && { description: value.description }),
    ...(value.isBig && { unboundedContextKind: value.contextKind }),
  };
  useSayDraft(postCall(project, environment, post));
  const errors = {
    name: post.name === '' ? NEW_SEGMENT.noName : undefined,
    key: keyProblem(key) ?? fieldError(create.error, 'key'),
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (post.name === '' || keyProblem(key) !== undefined) return;
    create.mutate(post, {
      onSuccess: () => {
        forget();
        navigate(hrefOf(project, environment, key));
      },
    });
  };
  const isAboutKey = create.error?.code === 'key_exists' || fieldError(create.error, 'key') !== undefined;
  return (
    <Dialog
      title={NEW_SEGMENT.title(environment)}
      width={560}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button tone="primary" type="submit" form="new-segment" isBusy={create.isPending}>
            {NEW_SEGMENT.submit(post.name)}
          </Button>
        </>
      }
    >
      {create.error !== null && !isAboutKey && (
        <Banner tone="bad">
          {create.error.message} {create.error.requestId}
        </Banner>
      )}
      <form id="new-segment" className="stack stack--16" onSubmit={submit} noValidate>
        <Field label={NEW_SEGMENT.name} error={isSubmitted && errors.name}>
          <TextInput value={value.name} maxLength={256} onValue={(name) => change({ name })} />
        </Field>
        <Field
          label={NEW_SEGMENT.key}
          help={NEW_SEGMENT.keyHelp}
          error={
            create.error?.code === 'key_exists'
              ? create.error.message
              : (isSubmitted || value.hasOwnKey) && key !== '' && errors.key
          }
        >
          <TextInput
            isMono
            spellCheck={false}
            autoCapitalize="off"
            value={key}
            onValue={(typed) => change({ key: typed, hasOwnKey: typed !== '' })}
          />
        </Field>
        <Field label={NEW_SEGMENT.description} optional>
          <TextInput value={value.description} onValue={(description) => change({ description })} />
        </Field>
        <TagsInput label={NEW_SEGMENT.tags} tags={value.tags} onChange={(tags) => change({ tags })} />
        <RadioCards
          label={NEW_SEGMENT.size}
          value={value.isBig ? 'big' : 'small'}
          onChange={(size) => change({ isBig: size === 'big' })}
          options={[
            { value: 'small', label: NEW_SEGMENT.small, text: NEW_SEGMENT.smallText },
            { value: 'big', label: NEW_SEGMENT.bigOption, text: NEW_SEGMENT.bigText },
          ]}
        />
        {value.isBig && (
          <Field label={NEW_SEGMENT.contextKind}>
            <SelectInput
              value={value.contextKind}
              onValue={(contextKind) => change({ contextKind })}
              options={kinds.map((kind) => ({ value: kind, label: kind }))}
            />
          </Field>
        )}
      </form>
    </Dialog>
  );
}

function fieldError(error: { fields: readonly { field: string; message: string }[] } | null, name: string) {
  return error?.fields.find(({ field }) => field.endsWith(name))?.message;
}
