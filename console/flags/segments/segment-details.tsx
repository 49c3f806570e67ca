// What a segment is called, and when it was made and changed.
import { TagsInput } from '../../lib/tags-input.tsx';
import { Card, KeyValues } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { TextArea, TextInput } from '../../ui/input.tsx';
import { Tag } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import type { Segment } from './segment.ts';
import { SEGMENT } from './segments-words.ts';
import type { SegmentDraft } from './use-segment-draft.ts';

interface SegmentDetailsProps {
  segment: Segment;
  draft: SegmentDraft;
  isLocked: boolean;
}

export function SegmentDetails({ segment, draft, isLocked }: SegmentDetailsProps) {
  const { edited, edit } = draft;
  return (
    <Card title={SEGMENT.details}>
      <div className="stack">
        {isLocked ? (
          segment.tags.length > 0 && (
            <span className="row row--4 row--wrap">
              {segment.tags.map((tag) => (
                <Tag key={tag}>{tag}</Tag>
              ))}
            </span>
          )
        ) : (
          <>
            <Field label={SEGMENT.name} error={edited.name.trim() === '' && SEGMENT.noName}>
              <TextInput value={edited.name} maxLength={256} onValue={(name) => edit({ name })} />
            </Field>
            <Field label={SEGMENT.description} optional>
              <TextArea
                rows={2}
                value={edited.description}
                onValue={(description) => edit({ description })}
              />
            </Field>
            <TagsInput label={SEGMENT.tags} tags={edited.tags} onChange={(tags) => edit({ tags })} />
          </>
        )}
        <KeyValues
          items={[
            [SEGMENT.created, <Time key="created" at={segment.creationDate} />],
            [SEGMENT.modified, <Time key="modified" at={segment.lastModifiedDate} />],
          ]}
        />
      </div>
    </Card>
  );
}
