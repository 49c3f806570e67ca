// Labels as replies show them.
import { Nullable, Type, type Static } from '../../kernel/schema/schema.ts';
import { nodeId } from '../node-id.ts';

export interface Label {
  id: number;
  name: string;
  /** Six hexadecimal digits. */
  color: string;
  description: string | null;
  /** Whether new repositories have it. */
  isDefault: boolean;
}

export type LabelFields = Pick<Label, 'name' | 'color' | 'description'>;

export const LabelReply = Type.Object(
  {
    id: Type.Integer(),
    node_id: Type.String(),
    url: Type.String(),
    name: Type.String(),
    description: Nullable(Type.String()),
    color: Type.String(),
    default: Type.Boolean(),
  },
  { $id: 'label' },
);

/** `url` is that of the repository. */
export function toLabel(label: Label, url: string): Static<typeof LabelReply> {
  const { id, name, description, color, isDefault } = label;
  return {
    id,
    node_id: nodeId('Label', id),
    url: `${url}/labels/${encodeURIComponent(name)}`,
    name,
    description,
    color,
    default: isDefault,
  };
}
