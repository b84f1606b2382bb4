export { anthropicImageTypes } from './catalog/api-rows.ts';
export { catalog } from './catalog/catalog.ts';
export type { Catalog, ModelRow, TransportRow } from './catalog/catalog-row.ts';
export { checkCatalog, nameOfModel, nameOfTransport } from './catalog/check-catalog.ts';
export { checkOverride } from './check-override.ts';
export { classifyMediaType, essenceOf, isActiveMediaType, isInlineSafe } from './classify-media-type.ts';
export { composePart, referencesOf } from './compose-part.ts';
export { describeEarlier, describeForTool } from './describe-attachment.ts';
export { claimTextType, type FileClaims, labelFile } from './file-type/label-file.ts';
export { isNamedMediaType, nameMediaType } from './file-type/name-media-type.ts';
export { sniffMediaType } from './file-type/sniff-media-type.ts';
export { decideToolCall, idsToLookUp, TOOL_CALL_DENIED } from './gate/decide-tool-call.ts';
export { type ScanOutcome, scanArguments } from './gate/scan-arguments.ts';
export { type ScanLimits, scanLimits } from './gate/scan-limits.ts';
export { listRecipes } from './list-recipes.ts';
export { announceAttachments, formatMarker, type Marker, parseMarkers } from './marker.ts';
export {
  createMediaStrip,
  type MediaPiece,
  type MediaStrip,
  type MediaStripOptions,
  type TakenRun,
} from './media/strip-media.ts';
export { describeSpelling, type TakenFile, takeOutMedia } from './media/take-out.ts';
export { allowsOwnTools, type PermissionMode, permissionModeOf } from './permission-mode.ts';
export { chooseImageForm, type ImageForm } from './plan/choose-image-form.ts';
export { type Held, heldNothing, measureHeld } from './plan/measure-held.ts';
export { choosePageForm } from './plan/plan-pages.ts';
export { byteLimitOf } from './plan/room.ts';
export { type PlannableAttachment, type PlanRequestInput, planDelivery } from './plan-delivery.ts';
export * from './plan-transitions.ts';
export { redactDiagnostic, redactText } from './redact.ts';
export { refuseTarget } from './refuse-target.ts';
export { type CapabilityRequest, resolveCapability } from './resolve-capability.ts';
export { resolveTarget, type TargetFault, type TargetOutcome } from './resolve-target.ts';
export { MAX_NAME_BYTES, sanitizeName } from './sanitize-name.ts';
export { base64Bytes, bytesWithinBase64, jsonTextBytes, maxDecodedBytes, maxJsonTextBytes } from './transport-size.ts';
