// Bounds the selections of a GraphQL query before it is validated: the validator compares all that have the same name in the reply.
import {
  GraphQLError,
  Kind,
  print,
  type DocumentNode,
  type FieldNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** Fragments count wherever they are used. */
const MAX_SELECTIONS = 2000;
/** Pairs of selections at one place of the reply, which the validator compares with their arguments: 11,000 took it 53 ms and more. */
const MAX_COMPARISONS = 2000;

/**
 * The document without selections that repeat another of the same set, which change no reply.
 * @throws {GraphQLError} where more are left than a query may have.
 */
export function boundSelections(document: DocumentNode): DocumentNode {
  const merger = new SelectionMerger();
  const definitions = document.definitions.map((definition) =>
    'selectionSet' in definition && definition.selectionSet !== undefined
      ? { ...definition, selectionSet: merger.merge(definition.selectionSet).set }
      : definition,
  );
  const merged = { ...document, definitions };
  new SelectionCounter(merged).count();
  return merged;
}

/** Numbers equal selections equally, so that each text is as long as its own part of the query. */
class SelectionMerger {
  readonly #numbers = new Map<string, number>();

  merge({ selections, ...rest }: SelectionSetNode): { set: SelectionSetNode; number: number } {
    const kept = new Map<number, SelectionNode>();
    for (const selection of selections) {
      const { node, number } = this.#mergeSelection(selection);
      if (!kept.has(number)) kept.set(number, node);
    }
    const set = { ...rest, selections: [...kept.values()] };
    return { set, number: this.#numberOf([...kept.keys()].join(' ')) };
  }

  #mergeSelection(selection: SelectionNode): { node: SelectionNode; number: number } {
    if (selection.kind === Kind.FRAGMENT_SPREAD || selection.selectionSet === undefined)
      return { node: selection, number: this.#numberOf(print(selection)) };
    const { set, number } = this.merge(selection.selectionSet);
    const head = print({ ...selection, selectionSet: { ...set, selections: [] } });
    return { node: { ...selection, selectionSet: set }, number: this.#numberOf(`${head} ${number}`) };
  }

  #numberOf(text: string): number {
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    return number;
  }
}

/** Goes through the query as its reply has it, fragments expanded, and stops at the bounds: fragments that use each other twice make millions. */
class SelectionCounter {
  readonly #document: DocumentNode;
  readonly #fragments = new Map<string, SelectionSetNode>();
  readonly #used = new Set<string>();
  #selections = 0;
  #comparisons = 0;

  constructor(document: DocumentNode) {
    this.#document = document;
    for (const part of document.definitions)
      if (part.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(part.name.value, part.selectionSet);
  }

  count(): void {
    for (const part of this.#document.definitions)
      if (part.kind === Kind.OPERATION_DEFINITION) this.#countAt([part.selectionSet]);
    // The validator also looks at fragments that nothing uses.
    for (const [name, set] of this.#fragments) if (!this.#used.has(name)) this.#countAt([set]);
  }

  /** The sets that give the fields of one place in the reply. */
  #countAt(sets: readonly SelectionSetNode[]): void {
    const fields = Map.groupBy(
      sets.flatMap((set) => this.#expand(set, [])),
      ({ alias, name }) => (alias ?? name).value,
    );
    for (const same of fields.values()) {
      this.#comparisons += (same.length * (same.length - 1)) / 2;
      if (this.#comparisons > MAX_COMPARISONS)
        throw tooMany('selects the same fields too often in different ways');
      this.#countAt(same.flatMap(({ selectionSet }) => selectionSet ?? []));
    }
  }

  /** `within` are the fragments around the set: one that uses itself is an error of the validator's. */
  #expand({ selections }: SelectionSetNode, within: readonly string[]): FieldNode[] {
    this.#selections += selections.length;
    if (this.#selections > MAX_SELECTIONS)
      throw tooMany(
        `has more than ${MAX_SELECTIONS} selections, those of fragments counted wherever they are used`,
      );
    return selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return selection;
      if (selection.kind === Kind.INLINE_FRAGMENT) return this.#expand(selection.selectionSet, within);
      const name = selection.name.value;
      this.#used.add(name);
      const set = within.includes(name) ? undefined : this.#fragments.get(name);
      return set === undefined ? [] : this.#expand(set, [...within, name]);
    });
  }
}

function tooMany(words: string): GraphQLError {
  return new GraphQLError(`The query ${words}.`, { extensions: { type: 'MAX_SELECTIONS_EXCEEDED' } });
}
