// A text that somebody wrote: who and when, its reactions, and for those who may, editing and deletion.
import { useState, type ReactNode } from 'react';
import type { Call } from '../../api/call.ts';
import { useDraft } from '../../app/drafts.ts';
import { SafeHtml } from '../../lib/safe-html.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast-store.ts';
import type { RepositoryPlace } from '../place.ts';
import { repositoryCall, TOPICS } from '../queries.ts';
import { loginOf, type Person, type ReactionCounts, type Written } from './issue.ts';
import { useEditText, type SubjectPath } from './issue-queries.ts';
import { ISSUE } from './issue-words.ts';
import { Reactions } from './reactions.tsx';
import { TextEditor } from './text-editor.tsx';
import '../../styles/issues.css';

/** What a text is to the API: below a repository, or the call that reads it and the topics that it shows. */
export type TextSource =
  | { place: RepositoryPlace; subject: SubjectPath; call?: undefined; topics?: undefined }
  | { place?: undefined; subject?: undefined; call: Call; topics: readonly string[] };

export type TextCardProps = TextSource & TextCardContent;

interface TextCardContent {
  text: Written & {
    user: Person | null;
    created_at: string;
    updated_at?: string;
    reactions?: ReactionCounts | undefined;
  };
  /** The part of the page's address that leads here. */
  anchor?: string | undefined;
  mayEdit: boolean;
  mayDelete: boolean;
  /** Why nobody can react; undefined where one can. */
  reactReason?: string | undefined;
  hasReactions?: boolean;
  /** At the end of the head. */
  badge?: ReactNode;
  /** Below the text. */
  children?: ReactNode;
}

export function TextCard(props: TextCardProps) {
  const { text, anchor, hasReactions = true, badge, children } = props;
  const [isEditing, setEditing] = useState(false);
  const login = loginOf(text.user);
  return (
    <article className="said" id={anchor} aria-label={ISSUE.by(login)}>
      <div className="said__h">
        <Avatar name={login} isDecorative />
        <b>{login}</b>
        <span className="muted t12">
          <Time at={text.created_at} />
        </span>
        <span className="push" />
        {badge}
        <TextMenu {...props} onEdit={() => setEditing(true)} />
      </div>
      <div className="said__b">
        {isEditing ? (
          <EditText {...props} onDone={() => setEditing(false)} />
        ) : (text.body_html ?? '') === '' ? (
          <p className="muted">{ISSUE.noText}</p>
        ) : (
          <SafeHtml html={text.body_html ?? ''} />
        )}
        {children}
        {hasReactions && props.place !== undefined && (
          <Reactions
            place={props.place}
            subject={props.subject}
            counts={text.reactions}
            disabledReason={props.reactReason}
          />
        )}
      </div>
    </article>
  );
}

function TextMenu(props: TextCardProps & { onEdit: () => void }) {
  const { anchor, mayEdit, mayDelete, onEdit } = props;
  const [isDeleting, setDeleting] = useState(false);
  const edit = useEditText(...editingOf(props));
  const copyLink = async () => {
    const address = `${location.origin}${location.pathname}#${anchor}`;
    if (await copyText(address)) toast({ text: ISSUE.linkCopied });
  };
  const items: MenuItem[] = [
    ...(anchor === undefined
      ? []
      : [{ label: ISSUE.copyLink, icon: 'link' as const, onSelect: () => void copyLink() }]),
    ...(mayEdit ? [{ label: ISSUE.edit, icon: 'pen' as const, onSelect: onEdit }] : []),
    ...(mayDelete
      ? [
          {
            label: ISSUE.delete,
            icon: 'trash' as const,
            tone: 'danger' as const,
            hasLine: true,
            onSelect: () => setDeleting(true),
          },
        ]
      : []),
  ];
  if (items.length === 0) return null;
  return (
    <>
      <Menu trigger={<Button tone="ghost" size="xs" icon="dots" label={ISSUE.more} />} items={items} />
      {isDeleting && (
        <ConfirmDialog
          title={ISSUE.deleteTitle}
          confirmLabel={ISSUE.deleteConfirm}
          tone="danger"
          isBusy={edit.isPending}
          error={edit.error ?? undefined}
          onConfirm={() => edit.mutate(null, { onSuccess: () => setDeleting(false) })}
          onClose={() => setDeleting(false)}
        >
          {ISSUE.deleteText}
        </ConfirmDialog>
      )}
    </>
  );
}

/** The call that reads the text, and the topics that change with it. */
function editingOf(source: TextSource): [Call, readonly string[]] {
  return source.place === undefined
    ? [source.call, source.topics]
    : [repositoryCall(source.place, source.subject), TOPICS];
}

function EditText(props: TextCardProps & { onDone: () => void }) {
  const { place, text, onDone } = props;
  const [call, topics] = editingOf(props);
  const { value, change, forget } = useDraft(`edit ${call.path}`, { body: text.body ?? '' });
  const edit = useEditText(call, topics);
  const end = () => {
    forget();
    onDone();
  };
  const save = () => edit.mutate(value.body, { onSuccess: end });
  return (
    <div className="stack">
      <ChangeError error={edit.error} />
      <TextEditor
        place={place}
        label={ISSUE.text}
        value={value.body}
        onChange={(body) => change({ body })}
        onSubmit={save}
        isFocused
      />
      <div className="row">
        <Button tone="primary" isBusy={edit.isPending} onClick={save}>
          {ISSUE.save}
        </Button>
        <Button onClick={end}>{ISSUE.cancel}</Button>
      </div>
    </div>
  );
}
