/* dwarf_const.h - defines the numbers of DWARF that heft reads (DWARF 5, chapter 7; GNU extensions
 * as GCC and binutils document them). */
#pragma once

/* The version after 5, as clang 22 writes it. Its working drafts have the headers of version 5. */
enum { DW_VERSION_NEXT = 6 };

enum { DW_UT_compile = 0x01, DW_UT_type = 0x02, DW_UT_partial = 0x03, DW_UT_skeleton = 0x04 };
enum { DW_UT_split_compile = 0x05, DW_UT_split_type = 0x06 };

enum { DW_TAG_array_type = 0x01, DW_TAG_class_type = 0x02, DW_TAG_enumeration_type = 0x04 };
enum { DW_TAG_pointer_type = 0x0f, DW_TAG_reference_type = 0x10, DW_TAG_compile_unit = 0x11 };
enum { DW_TAG_structure_type = 0x13, DW_TAG_subroutine_type = 0x15, DW_TAG_typedef = 0x16 };
enum { DW_TAG_union_type = 0x17, DW_TAG_inlined_subroutine = 0x1d, DW_TAG_subrange_type = 0x21 };
enum { DW_TAG_base_type = 0x24, DW_TAG_subprogram = 0x2e, DW_TAG_variable = 0x34 };
enum { DW_TAG_namespace = 0x39, DW_TAG_imported_unit = 0x3d, DW_TAG_partial_unit = 0x3c };
enum { DW_TAG_skeleton_unit = 0x4a };

enum { DW_AT_sibling = 0x01, DW_AT_location = 0x02, DW_AT_name = 0x03, DW_AT_byte_size = 0x0b };
enum { DW_AT_stmt_list = 0x10, DW_AT_low_pc = 0x11, DW_AT_high_pc = 0x12, DW_AT_language = 0x13 };
enum { DW_AT_comp_dir = 0x1b, DW_AT_producer = 0x25, DW_AT_const_value = 0x1c };
enum { DW_AT_inline = 0x20, DW_AT_upper_bound = 0x2f, DW_AT_abstract_origin = 0x31 };
enum { DW_AT_count = 0x37, DW_AT_decl_column = 0x39, DW_AT_decl_file = 0x3a };
enum { DW_AT_decl_line = 0x3b, DW_AT_declaration = 0x3c, DW_AT_frame_base = 0x40 };
enum { DW_AT_macro_info = 0x43, DW_AT_specification = 0x47, DW_AT_type = 0x49 };
enum { DW_AT_extension = 0x54, DW_AT_ranges = 0x55, DW_AT_call_column = 0x57 };
enum { DW_AT_call_file = 0x58, DW_AT_call_line = 0x59, DW_AT_start_scope = 0x2c };
enum { DW_AT_linkage_name = 0x6e, DW_AT_str_offsets_base = 0x72, DW_AT_addr_base = 0x73 };
enum { DW_AT_rnglists_base = 0x74, DW_AT_dwo_name = 0x76, DW_AT_macros = 0x79 };
enum { DW_AT_loclists_base = 0x8c, DW_AT_data_member_location = 0x38 };
enum { DW_AT_MIPS_linkage_name = 0x2007, DW_AT_GNU_macros = 0x2119, DW_AT_GNU_dwo_name = 0x2130 };
enum { DW_AT_GNU_dwo_id = 0x2131, DW_AT_GNU_ranges_base = 0x2132, DW_AT_GNU_addr_base = 0x2133 };
enum { DW_AT_GNU_locviews = 0x2137, DW_AT_import = 0x18, DW_AT_string_length = 0x19 };
enum { DW_AT_return_addr = 0x2a, DW_AT_segment = 0x46, DW_AT_static_link = 0x48 };
enum { DW_AT_use_location = 0x4a, DW_AT_vtable_elem_location = 0x4d };

enum { DW_FORM_addr = 0x01, DW_FORM_block2 = 0x03, DW_FORM_block4 = 0x04, DW_FORM_data2 = 0x05 };
enum { DW_FORM_data4 = 0x06, DW_FORM_data8 = 0x07, DW_FORM_string = 0x08, DW_FORM_block = 0x09 };
enum { DW_FORM_block1 = 0x0a, DW_FORM_data1 = 0x0b, DW_FORM_flag = 0x0c, DW_FORM_sdata = 0x0d };
enum { DW_FORM_strp = 0x0e, DW_FORM_udata = 0x0f, DW_FORM_ref_addr = 0x10, DW_FORM_ref1 = 0x11 };
enum { DW_FORM_ref2 = 0x12, DW_FORM_ref4 = 0x13, DW_FORM_ref8 = 0x14, DW_FORM_ref_udata = 0x15 };
enum { DW_FORM_indirect = 0x16, DW_FORM_sec_offset = 0x17, DW_FORM_exprloc = 0x18 };
enum { DW_FORM_flag_present = 0x19, DW_FORM_strx = 0x1a, DW_FORM_addrx = 0x1b };
enum { DW_FORM_ref_sup4 = 0x1c, DW_FORM_strp_sup = 0x1d, DW_FORM_data16 = 0x1e };
enum { DW_FORM_line_strp = 0x1f, DW_FORM_ref_sig8 = 0x20, DW_FORM_implicit_const = 0x21 };
enum { DW_FORM_loclistx = 0x22, DW_FORM_rnglistx = 0x23, DW_FORM_ref_sup8 = 0x24 };
enum { DW_FORM_strx1 = 0x25, DW_FORM_strx2 = 0x26, DW_FORM_strx3 = 0x27, DW_FORM_strx4 = 0x28 };
enum { DW_FORM_addrx1 = 0x29, DW_FORM_addrx2 = 0x2a, DW_FORM_addrx3 = 0x2b, DW_FORM_addrx4 = 0x2c };
enum { DW_FORM_GNU_addr_index = 0x1f01, DW_FORM_GNU_str_index = 0x1f02 };
enum { DW_FORM_GNU_ref_alt = 0x1f20, DW_FORM_GNU_strp_alt = 0x1f21 };

enum { DW_RLE_end_of_list = 0x00, DW_RLE_base_addressx = 0x01, DW_RLE_startx_endx = 0x02 };
enum { DW_RLE_startx_length = 0x03, DW_RLE_offset_pair = 0x04, DW_RLE_base_address = 0x05 };
enum { DW_RLE_start_end = 0x06, DW_RLE_start_length = 0x07 };

enum { DW_OP_addr = 0x03, DW_OP_const4u = 0x0c, DW_OP_const8u = 0x0e, DW_OP_constu = 0x10 };
enum { DW_OP_form_tls_address = 0x9b, DW_OP_addrx = 0xa1, DW_OP_constx = 0xa2 };
enum { DW_OP_GNU_push_tls_address = 0xe0, DW_OP_GNU_addr_index = 0xfb };
enum { DW_OP_GNU_const_index = 0xfc, DW_OP_plus_uconst = 0x23 };

enum { DW_LNS_copy = 0x01, DW_LNS_advance_pc = 0x02, DW_LNS_advance_line = 0x03 };
enum { DW_LNS_set_file = 0x04, DW_LNS_set_column = 0x05, DW_LNS_negate_stmt = 0x06 };
enum { DW_LNS_set_basic_block = 0x07, DW_LNS_const_add_pc = 0x08, DW_LNS_fixed_advance_pc = 0x09 };
enum { DW_LNS_set_prologue_end = 0x0a, DW_LNS_set_epilogue_begin = 0x0b, DW_LNS_set_isa = 0x0c };

enum { DW_LNE_end_sequence = 0x01, DW_LNE_set_address = 0x02, DW_LNE_define_file = 0x03 };
enum { DW_LNE_set_discriminator = 0x04 };

enum { DW_LNCT_path = 0x01, DW_LNCT_directory_index = 0x02, DW_LNCT_timestamp = 0x03 };
enum { DW_LNCT_size = 0x04, DW_LNCT_MD5 = 0x05 };

enum { DW_IDX_compile_unit = 1, DW_IDX_type_unit = 2, DW_IDX_die_offset = 3, DW_IDX_parent = 4 };

/* In version 4, GCC names the first seven DW_MACRO_GNU_*, and 8 to 0x0a are its *_alt forms. */
enum { DW_MACRO_define = 0x01, DW_MACRO_undef = 0x02, DW_MACRO_start_file = 0x03 };
enum { DW_MACRO_end_file = 0x04, DW_MACRO_define_strp = 0x05, DW_MACRO_undef_strp = 0x06 };
enum { DW_MACRO_import = 0x07, DW_MACRO_define_sup = 0x08, DW_MACRO_undef_sup = 0x09 };
enum { DW_MACRO_import_sup = 0x0a, DW_MACRO_define_strx = 0x0b, DW_MACRO_undef_strx = 0x0c };

enum { DW_MACINFO_define = 0x01, DW_MACINFO_start_file = 0x03, DW_MACINFO_end_file = 0x04 };
enum { DW_MACINFO_vendor_ext = 0xff };
