export { type ClassCheck, type ClassOf, checkClass } from './check-class.js';
export { type ClassUse, classSchemaFaults, classSchemaOf, type SchemaDocument } from './class-schema.js';
export { type CrossMemberRule, crossMemberFaults } from './cross-member.js';
export {
  type DocumentKind,
  validateDocument,
  validateEnvelope,
  validateRequest,
  validateResult,
  validateSpecification,
} from './documents.js';
export { type Fault, faultsText } from './faults.js';
export type { SchemaChecker, SchemaRefusal, SchemaVerdict } from './ports.js';
