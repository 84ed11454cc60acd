//! Whether what a backend gives is what was asked of it.

use airloom_compute::data::{Datum, schema_of, type_to_arrow};
use airloom_ir::types::{Ty, TyId, Types};
use arrow::datatypes::{DataType, Field};

/// Whether a datum is in the physical form of a type. It looks at types, never at data.
pub(super) fn fits(types: &Types, ty: TyId, datum: &Datum) -> bool {
    match (types.get(ty), datum) {
        (Ty::Rel(fields), Datum::Table(relation)) => {
            let (found, expected) = (relation.schema.fields(), schema_of(types, fields));
            let same =
                |found: &Field, expected: &Field| found.name() == expected.name() && same_form(found.data_type(), expected.data_type());
            found.len() == expected.fields().len() && found.iter().zip(expected.fields()).all(|(found, expected)| same(found, expected))
        }
        (Ty::Arr(element, extents), Datum::Array(array)) => {
            array.shape.len() == extents.len()
                && array.shape.iter().product::<usize>() == array.items.len()
                && type_to_arrow(types, *element).is_some_and(|expected| same_form(array.items.data_type(), &expected))
        }
        (Ty::Tuple(tys), Datum::Parts(parts)) => {
            tys.len() == parts.len() && tys.iter().zip(parts.iter()).all(|(&ty, p)| fits(types, ty, p))
        }
        (Ty::Struct(fields), Datum::Parts(parts)) => {
            fields.len() == parts.len() && fields.iter().zip(parts.iter()).all(|(field, part)| fits(types, field.ty, part))
        }
        (_, Datum::Value(_)) => types.is_value(ty),
        _ => false,
    }
}

/// Whether two types of Arrow are read alike: inside lists and structs, what may be null and what parts are called makes no difference.
fn same_form(found: &DataType, expected: &DataType) -> bool {
    match (found, expected) {
        (DataType::LargeList(found), DataType::LargeList(expected)) => same_form(found.data_type(), expected.data_type()),
        (DataType::Struct(found), DataType::Struct(expected)) => {
            found.len() == expected.len() && found.iter().zip(expected).all(|(f, e)| same_form(f.data_type(), e.data_type()))
        }
        (found, expected) => found == expected,
    }
}
