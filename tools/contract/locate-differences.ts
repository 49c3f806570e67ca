// Finds every location in a body where two schemas differ, although schemas are shared and may contain themselves.
import { Failure } from '../../src/kernel/failure.ts';
import type { DifferenceKind } from './difference.ts';

export interface SchemaFinding {
  /** The path from the node of the finding: empty for itself, `.name` for a member. */
  step: string;
  kind: DifferenceKind;
  message: string;
}

/** A pair of schemas in the same position: its own differences, and the pairs inside it. */
export interface ComparisonNode {
  findings: SchemaFinding[];
  children: { step: string; node: ComparisonNode }[];
  /** The index in the order of discovery, 0 before; with `low` and `isOpen` the working state of `settle`. */
  index: number;
  low: number;
  isOpen: boolean;
  /** Set by `settle`: whether it or anything inside differs, and whether it contains itself. */
  differs: boolean;
  isRecursive: boolean;
}

/** A longer report is useless; a document of forty doublings would have a trillion locations. */
const MAX_PLACES = 1_000_000;

export function createComparisonNode(): ComparisonNode {
  return {
    findings: [],
    children: [],
    index: 0,
    low: 0,
    isOpen: false,
    differs: false,
    isRecursive: false,
  };
}

/** Tarjan's strongly connected components, without recursion: descriptions can be deeper than the call stack. */
export function settle(
  root: ComparisonNode,
  expand: (node: ComparisonNode) => void,
  firstIndex: number,
): number {
  let index = firstIndex;
  const path: { node: ComparisonNode; next: number }[] = [];
  const open: ComparisonNode[] = [];

  function enter(node: ComparisonNode): void {
    expand(node);
    node.index = node.low = index++;
    node.isOpen = true;
    path.push({ node, next: 0 });
    open.push(node);
  }

  if (root.index === 0) enter(root);
  for (let frame = path.at(-1); frame !== undefined; frame = path.at(-1)) {
    const { node } = frame;
    const child = node.children[frame.next++]?.node;
    if (child === undefined) {
      path.pop();
      const parent = path.at(-1)?.node;
      if (parent !== undefined) parent.low = Math.min(parent.low, node.low);
      if (node.low === node.index) close(open.splice(open.lastIndexOf(node)));
    } else if (child.index === 0) {
      enter(child);
    } else if (child.isOpen) {
      node.low = Math.min(node.low, child.index);
    }
  }
  return index;
}

/** The nodes of a component contain each other, so a fact about the content of one holds for all. */
function close(component: readonly ComparisonNode[]): void {
  const differs = component.some(
    (node) => node.findings.length > 0 || node.children.some((child) => child.node.differs),
  );
  const [first] = component;
  const isRecursive = component.length > 1 || first?.children.some((child) => child.node === first) === true;
  for (const node of component) Object.assign(node, { isOpen: false, differs, isRecursive });
}

/** All findings with their locations: of a schema that contains itself the shallowest, of others each. */
export function locate(root: ComparisonNode): { place: string; finding: SchemaFinding }[] {
  const located: { place: string; finding: SchemaFinding }[] = [];
  const entered = new Set<ComparisonNode>();
  const queue = [{ node: root, place: '' }];
  for (const { node, place } of queue) {
    if (!node.differs || entered.has(node)) continue;
    if (node.isRecursive) entered.add(node);
    for (const finding of node.findings) located.push({ place: place + finding.step, finding });
    for (const child of node.children) {
      if (child.node.differs) queue.push({ node: child.node, place: place + child.step });
    }
    if (queue.length > MAX_PLACES)
      throw new Failure('invalid', 'The documents differ in too many places to list.');
  }
  return located;
}
